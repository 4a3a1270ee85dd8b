package org.rddp.ipc.ring;

import java.io.IOException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;

/**
 * One end's mapping of an octet stream's memory: the header, and two parts in which the rings grow
 * ({@link StreamRing}). Not thread-safe; after {@link #close} every access ends the JVM.
 */
public final class StreamMemory implements AutoCloseable {
  /** The smallest ring. */
  public static final int LEAST_RING = 4096;

  /** The largest ring. */
  public static final int LARGEST_RING = 1 << 30;

  private final SharedMemory shared;
  private final StreamHeader header;

  /** Daemon: whether nobody has ever been able to punch a hole into it, or will be. */
  private final boolean immutable;

  private final StreamRing sending;
  private final StreamRing receiving;

  /** Daemon: octets of each ring whose pages are allocated, from its first one on. */
  private volatile int allocatedToSend;

  private volatile int allocatedToReceive;
  private boolean closed;

  private StreamMemory(
      SharedMemory shared, StreamRing sending, StreamRing receiving, boolean immutable) {
    this.shared = shared;
    this.immutable = immutable;
    this.sending = sending;
    this.receiving = receiving;
    header = new StreamHeader(shared.address());
    allocatedToSend = sending.octets();
    allocatedToReceive = receiving.octets();
  }

  /**
   * Daemon: creates memory, {@linkplain SharedMemory#createImmutable immutable} if it may.
   *
   * @param first octets that each ring uses in the beginning, a power of two
   * @param largest the most that it can use, a power of two
   */
  public static StreamMemory create(int first, int largest) throws SystemCallException {
    check(first);
    check(largest);
    SharedMemory shared =
        SharedMemory.createImmutable("rddp-stream", StreamHeader.octets(largest, largest));
    long send = shared.address() + StreamHeader.OCTETS;
    return new StreamMemory(
        shared,
        new StreamRing(send, largest, first),
        new StreamRing(send + largest, largest, first),
        shared.isImmutable());
  }

  /**
   * Daemon: maps memory that another daemon has made, to go on with it. Its rings have the least
   * length until the caller tells their own. No pages are allocated.
   *
   * @param descriptor closed with this, even if the call fails
   * @param largest the most octets that each ring can use
   */
  public static StreamMemory adopt(Descriptor descriptor, int largest) throws IOException {
    SharedMemory shared = SharedMemory.map(descriptor);
    if (shared.length() != StreamHeader.octets(largest, largest)) {
      shared.close();
      throw new IOException("a stream's memory of " + shared.length() + " octets");
    }
    long send = shared.address() + StreamHeader.OCTETS;
    return new StreamMemory(
        shared,
        new StreamRing(send, largest, LEAST_RING),
        new StreamRing(send + largest, largest, LEAST_RING),
        shared.isImmutable());
  }

  private static void check(int octets) {
    if (octets < LEAST_RING || octets > LARGEST_RING || Integer.bitCount(octets) != 1) {
      throw new IllegalArgumentException("a ring of " + octets + " octets");
    }
  }

  /**
   * Program: maps memory that the daemon has made, and forbids holes if the daemon has not.
   *
   * @param sendOctets the most that the ring of sent octets can use
   * @param receiveOctets the most that the other one can use
   * @param descriptor closed by this, even if the call fails
   */
  public static StreamMemory map(Descriptor descriptor, int sendOctets, int receiveOctets)
      throws IOException {
    check(sendOctets);
    check(receiveOctets);
    SharedMemory shared = SharedMemory.map(descriptor);
    try {
      if (shared.length() != StreamHeader.octets(sendOctets, receiveOctets)) {
        throw new IOException("a stream's memory of " + shared.length() + " octets");
      }
      StreamHeader header = new StreamHeader(shared.address());
      long send = shared.address() + StreamHeader.OCTETS;
      StreamMemory memory =
          new StreamMemory(
              shared,
              new StreamRing(send, sendOctets, header.sendRing()),
              new StreamRing(send + sendOctets, receiveOctets, header.receiveRing()),
              false);
      shared.forbidHoles();
      descriptor.close();
      return memory;
    } catch (IOException e) {
      shared.close();
      throw e;
    }
  }

  /**
   * Daemon: whether nobody has been able to punch a hole into it since it was made, so that its
   * pages are still those that {@link #allocate()} has mapped.
   */
  public boolean isImmutable() {
    return immutable;
  }

  /** Daemon: whether a program says that it has mapped the memory. */
  public boolean isMapped() {
    return (header.programFlags() & StreamHeader.MAPPED) != 0;
  }

  /**
   * Daemon: whether a program says that it has mapped the memory, in which nobody can punch a hole
   * from now on. Never waits: nothing is looked at while somebody can.
   */
  public boolean isMappedSafely() throws SystemCallException {
    return shared.forbidsHoles() && isMapped();
  }

  /** Daemon: whether another daemon can map it. Never waits. */
  public boolean canGoOver() {
    try {
      return shared.descriptor().isOpen() && shared.canBeMappedAgain();
    } catch (SystemCallException e) {
      return false;
    }
  }

  /**
   * Daemon: allocates and maps the pages that new memory uses.
   *
   * @return false if the limit of locked memory does not allow to lock them
   * @throws SystemCallException if no memory is left
   */
  public boolean allocate() throws SystemCallException {
    populate();
    return shared.lockOnUse();
  }

  /**
   * Daemon: maps the pages that another daemon has allocated.
   *
   * @param toSend what {@link #allocatedToSend} was there
   * @param toReceive what {@link #allocatedToReceive} was
   * @return false if the limit of locked memory does not allow to lock them
   * @throws SystemCallException if no memory is left
   */
  public boolean allocateAgain(int toSend, int toReceive) throws SystemCallException {
    allocatedToSend = Math.clamp(toSend, 0, sending.largest());
    allocatedToReceive = Math.clamp(toReceive, 0, receiving.largest());
    return allocate();
  }

  /**
   * Daemon: makes it as it was when it was new, for another stream of the same session, if it has
   * not grown. Nobody uses it any more.
   *
   * @param first octets that each ring used in the beginning
   * @return false if that cannot be; then it is as it was
   */
  public boolean renew(int first) {
    if (!immutable || allocatedToSend != first || allocatedToReceive != first) {
      return false;
    }
    // Octets of one process are none of another's.
    sending.clear(header.written());
    receiving.clear(header.received());
    header.clear();
    return true;
  }

  /**
   * Daemon: allocates and maps pages that the program has dropped before it has forbidden holes,
   * and closes the descriptor if it is of no use. No access to a ring's first octets faults from
   * now on.
   *
   * @throws SystemCallException if no memory is left
   */
  public void share() throws SystemCallException {
    populate();
    if (!canGoOver()) {
      shared.descriptor().close();
    }
  }

  private void populate() throws SystemCallException {
    shared.populate(0, StreamHeader.OCTETS + (long) allocatedToSend);
    shared.populate(offset(receiving), allocatedToReceive);
  }

  /**
   * Daemon: allocates and maps all pages of a ring, which then may use them. Does nothing after
   * {@link #close}, which the same thread calls.
   *
   * @throws SystemCallException if no memory is left
   */
  public void allocate(StreamRing ring) throws SystemCallException {
    if (!closed) {
      shared.populate(offset(ring), ring.largest());
      if (ring == sending) {
        allocatedToSend = ring.largest();
      } else {
        allocatedToReceive = ring.largest();
      }
    }
  }

  /** Daemon: octets of the ring of sent octets whose pages are allocated. */
  public int allocatedToSend() {
    return allocatedToSend;
  }

  /** Daemon: octets of the ring of received octets whose pages are allocated. */
  public int allocatedToReceive() {
    return allocatedToReceive;
  }

  private long offset(StreamRing ring) {
    return ring.address(0) - shared.address();
  }

  /** The memfd: in the daemon, until a program has mapped it that no other daemon can map. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  /** Address of the first octet. */
  public long address() {
    return shared.address();
  }

  /** Octets of all of it. */
  public long length() {
    return shared.length();
  }

  /** The header. */
  public StreamHeader header() {
    return header;
  }

  /** The ring of octets that the program sends. */
  public StreamRing sending() {
    return sending;
  }

  /** The ring of octets that the program receives. */
  public StreamRing receiving() {
    return receiving;
  }

  @Override
  public void close() {
    closed = true;
    shared.close();
  }
}
