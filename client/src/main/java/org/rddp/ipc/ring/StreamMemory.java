package org.rddp.ipc.ring;

import java.io.IOException;
import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.JoinedMemory;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;

/**
 * One end's mapping of an octet stream's memory: the header, and each ring twice in a row, so that
 * no copy wraps. Not thread-safe; after {@link #close} every access ends the JVM.
 */
public final class StreamMemory implements AutoCloseable {
  /** The smallest ring. */
  public static final int LEAST_RING = 4096;

  /** The largest ring. */
  public static final int LARGEST_RING = 1 << 30;

  private final SharedMemory shared;
  private final JoinedMemory mapped;
  private final int sendOctets;
  private final int receiveOctets;
  private final StreamHeader header;

  private StreamMemory(SharedMemory shared, int sendOctets, int receiveOctets)
      throws SystemCallException {
    this.shared = shared;
    this.sendOctets = sendOctets;
    this.receiveOctets = receiveOctets;
    long send = shared.address() + StreamHeader.OCTETS;
    long receive = send + sendOctets;
    mapped =
        JoinedMemory.join(
            List.of(
                new JoinedMemory.Part(shared.address(), StreamHeader.OCTETS + (long) sendOctets),
                new JoinedMemory.Part(send, sendOctets),
                new JoinedMemory.Part(receive, receiveOctets),
                new JoinedMemory.Part(receive, receiveOctets)));
    header = new StreamHeader(mapped.address());
  }

  /**
   * Daemon: creates memory.
   *
   * @param sendOctets of the ring of octets that the program sends, a power of two
   * @param receiveOctets of the ring of octets that it receives, a power of two
   */
  public static StreamMemory create(int sendOctets, int receiveOctets) throws SystemCallException {
    check(sendOctets);
    check(receiveOctets);
    SharedMemory shared =
        SharedMemory.create("rddp-stream", StreamHeader.octets(sendOctets, receiveOctets));
    try {
      return new StreamMemory(shared, sendOctets, receiveOctets);
    } catch (SystemCallException e) {
      shared.close();
      throw e;
    }
  }

  private static void check(int octets) {
    if (octets < LEAST_RING || octets > LARGEST_RING || Integer.bitCount(octets) != 1) {
      throw new IllegalArgumentException("a ring of " + octets + " octets");
    }
  }

  /**
   * Program: maps memory that the daemon has made, and forbids holes.
   *
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
      StreamMemory memory = new StreamMemory(shared, sendOctets, receiveOctets);
      shared.forbidHoles();
      descriptor.close();
      return memory;
    } catch (IOException e) {
      shared.close();
      throw e;
    }
  }

  /** Daemon: whether the program has forbidden holes. Never waits. */
  public boolean forbidsHoles() throws SystemCallException {
    return shared.forbidsHoles();
  }

  /**
   * Daemon: allocates and maps all pages of new memory.
   *
   * @return false if the limit of locked memory does not allow to lock them
   * @throws SystemCallException if no memory is left
   */
  public boolean allocate() throws SystemCallException {
    mapped.populate(0, mapped.length());
    return shared.lock(0, shared.length());
  }

  /**
   * Daemon: allocates and maps pages that the program has dropped before it has forbidden holes,
   * and closes the descriptor. No access faults from now on.
   *
   * @throws SystemCallException if no memory is left
   */
  public void share() throws SystemCallException {
    mapped.populate(0, mapped.length());
    shared.descriptor().close();
  }

  /** The memfd, until the pages are allocated. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  /** The header. */
  public StreamHeader header() {
    return header;
  }

  /** Octets of the ring of octets that the program sends. */
  public int sendOctets() {
    return sendOctets;
  }

  /** Octets of the ring of octets that the program receives. */
  public int receiveOctets() {
    return receiveOctets;
  }

  /** Address of the octet at a position of the stream that the program sends. */
  public long sendAddress(long position) {
    return mapped.address() + StreamHeader.OCTETS + (position & (sendOctets - 1));
  }

  /** Address of the octet at a position of the stream that the program receives. */
  public long receiveAddress(long position) {
    return mapped.address()
        + StreamHeader.OCTETS
        + 2L * sendOctets
        + (position & (receiveOctets - 1));
  }

  /** Octets that it takes of the machine's memory. */
  public long octets() {
    return shared.length();
  }

  @Override
  public void close() {
    mapped.close();
    shared.close();
  }
}
