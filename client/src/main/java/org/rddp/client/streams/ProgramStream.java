package org.rddp.client.streams;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.rddp.ipc.control.GivenBack;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.ring.StreamEnds;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;

/**
 * An octet stream of this process. One thread may write while another reads.
 *
 * <p>A call waits in the kernel, at the stream's socket: the daemon sends a message when octets
 * come, and receives those with which the socket has been filled when there is room.
 */
public final class ProgramStream implements AutoCloseable {
  /** Octets of a message that makes the socket unwritable. */
  private static final int FILLER = 1200;

  /** Longest wait in nanoseconds before the header is looked at again. */
  private static final long WAIT = 1_000_000_000;

  /** Calls that moved nothing, of one thread or another, after which the socket is looked at. */
  private static final int VAIN = 256;

  private static final MemorySegment FILLERS = Arena.global().allocate(FILLER);
  private static final MemorySegment DROPPED = Arena.global().allocate(64);

  private final StreamSession session;
  private final int section;
  private final int index;
  private final StreamMemory memory;
  private final StreamRing sending;
  private final StreamRing receiving;
  private final StreamHeader header;
  private final PairedSocket socket;

  /** The octets of the rings. */
  private final ByteBuffer sendRing;

  private final ByteBuffer receiveRing;

  /** Calls that moved nothing; how many is not exact. */
  private int vain;

  /** The daemon has closed its end of the socket. */
  private volatile boolean lost;

  ProgramStream(
      StreamSession session,
      int section,
      int index,
      StreamMemory memory,
      Descriptor socket,
      boolean accepted) {
    this.session = session;
    this.section = section;
    this.index = index;
    this.memory = memory;
    this.header = memory.header();
    sending = memory.sending();
    receiving = memory.receiving();
    this.socket = new PairedSocket(socket);
    sendRing = buffer(sending);
    receiveRing = buffer(receiving);
    header.addProgramFlags(StreamHeader.MAPPED | (accepted ? StreamHeader.TAKEN : 0));
    ring();
  }

  private static ByteBuffer buffer(StreamRing ring) {
    return MemorySegment.ofAddress(ring.address(0)).reinterpret(ring.largest()).asByteBuffer();
  }

  private void ring() {
    session.ring(section, index);
  }

  /** The addresses of both ends. */
  public StreamEnds ends() {
    return header.ends();
  }

  /** The stream's socket, for tests of what happens to it. */
  public PairedSocket socket() {
    return socket;
  }

  /** The header, for tests. */
  public StreamHeader header() {
    return header;
  }

  /** Waits until it is established. */
  public void awaitConnected() throws IOException {
    while (!isDecided()) {
      awaitMessage(this::isDecided);
    }
    check();
  }

  /**
   * Does nothing unless the stream has failed.
   *
   * @throws StreamException if it has
   */
  public void check() throws StreamException {
    throwUnlessNone(failure());
  }

  private static void throwUnlessNone(int errno) throws StreamException {
    if (errno != 0) {
      throw new StreamException(errno);
    }
  }

  /** The error number of what has gone wrong; 0: nothing. */
  private int failure() {
    boolean daemonEnded = lost;
    int state = header.state();
    if (state == StreamHeader.FAILED || state == StreamHeader.ENDED) {
      return header.error();
    }
    return daemonEnded ? StreamException.RESET : 0;
  }

  /** Says whether there is nothing to wait for. */
  private interface Condition {
    boolean holds();
  }

  private void awaitMessage(Condition unless) throws IOException {
    armReceiving();
    if (unless.holds()) {
      return;
    }
    PollSet poll = new PollSet();
    poll.add(socket.descriptor());
    poll.await(WAIT);
  }

  /**
   * Reads octets that have come. Never waits, allocates nothing.
   *
   * @return how many, 0 if none have come, or -1 if the peer sends no more
   * @throws StreamException if the stream has failed, after all octets that have come
   */
  public int read(ByteBuffer into) throws StreamException {
    while (true) {
      long at = header.consumed();
      long there = header.received() - at;
      if (there > 0) {
        receiving.use(header.receiveRing());
        int taken = (int) Math.min(there, into.remaining());
        int first = Math.min(taken, receiving.inRow(at));
        into.put(into.position(), receiveRing, receiving.offset(at), first);
        into.put(into.position() + first, receiveRing, 0, taken - first);
        if (header.consume(at, at + taken)) {
          into.position(into.position() + taken);
          int quarter = receiving.octets() / 4;
          if (at / quarter != (at + taken) / quarter) {
            ring();
          }
          return taken;
        }
        continue;
      }
      boolean ended = (header.daemonFlags() & StreamHeader.PEER_ENDED) != 0;
      int failure = failure();
      // Octets that have come since are before the end.
      if (header.received() == at) {
        if (ended) {
          return -1;
        }
        throwUnlessNone(failure);
        countVain();
        return 0;
      }
    }
  }

  /** A program that never waits learns by this that the daemon was killed. */
  private void countVain() {
    if ((++vain & VAIN - 1) == 0) {
      lookForEnd();
    }
  }

  /** Finds out whether the daemon was killed, of which the memory says nothing. */
  public void lookForEnd() {
    if (!lost && socket.isPeerClosed()) {
      lost = true;
    }
  }

  /**
   * Reads octets that have come; waits for the first.
   *
   * @return how many, or -1 if the peer sends no more
   */
  public int read(byte[] into, int offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(into, offset, length);
    while (true) {
      int octets = read(buffer);
      if (octets != 0) {
        return octets;
      }
      awaitMessage(this::isReadable);
    }
  }

  /**
   * Writes octets for which there is room. Never waits, allocates nothing.
   *
   * @return how many, 0 if there is no room
   * @throws StreamException if the stream has failed
   */
  public int write(ByteBuffer from) throws StreamException {
    while (true) {
      check();
      long at = header.written();
      int allowed = header.sendAllowed();
      if (sending.canUse(allowed, header.taken(), at) && sending.use(allowed)) {
        header.sendRing(allowed);
      }
      int octets = Math.min(room(at), from.remaining());
      if (octets == 0) {
        countVain();
        return 0;
      }
      int first = Math.min(octets, sending.inRow(at));
      sendRing.put(sending.offset(at), from, from.position(), first);
      sendRing.put(0, from, from.position() + first, octets - first);
      if (header.write(at, at + octets)) {
        from.position(from.position() + octets);
        ring();
        return octets;
      }
    }
  }

  private int room(long written) {
    return header.sendRing() - (int) (written - header.taken());
  }

  /**
   * Writes octets for which there is room.
   *
   * @return how many, 0 if there is no room
   */
  public int tryWrite(byte[] from, int offset, int length) throws IOException {
    return write(ByteBuffer.wrap(from, offset, length));
  }

  /** Whether the outcome of connecting is known: {@link #check} tells it. */
  public boolean isDecided() {
    return header.state() != StreamHeader.CONNECTING || lost;
  }

  /** Whether {@link #read} has octets, the end, or a failure to tell. */
  public boolean isReadable() {
    return header.received() != header.consumed()
        || (header.daemonFlags() & (StreamHeader.PEER_ENDED | StreamHeader.RESET)) != 0
        || header.state() >= StreamHeader.FAILED
        || lost;
  }

  /** Whether a quarter of the ring is free, or {@link #write} has a failure to tell. */
  public boolean isWritable() {
    return room(header.written()) >= header.sendRing() / 4
        || header.state() >= StreamHeader.FAILED
        || lost;
  }

  /**
   * Makes the socket readable when octets come, when the outcome of connecting is known, or at the
   * end. What has come before does not do that, so look for it afterwards.
   */
  public void armReceiving() {
    // A message that has come before is for what has been seen.
    long dropped = socket.receive(DROPPED.address(), DROPPED.byteSize());
    if (dropped < 0) {
      // Of a daemon that was killed before it received all, the kernel says an error first.
      lookForEnd();
    }
    while (dropped > 0) {
      dropped = socket.receive(DROPPED.address(), DROPPED.byteSize());
    }
    if (dropped == 0) {
      lost = true;
    }
    header.armReceiving();
  }

  /** Makes the socket writable anew when half of the send ring is free. Look afterwards. */
  public void armSending() {
    // In this order: the daemon, which may not have seen all that is written, may answer at once.
    if (socket.send(FILLERS.address(), FILLER) < 0) {
      lookForEnd();
    }
    header.armSending();
    ring();
  }

  /** The session whose daemon has the stream. */
  public StreamSession session() {
    return session;
  }

  /**
   * Lets a waiter be told when octets come, when the outcome of connecting is known, or at the end,
   * in place of {@link #armReceiving}; look afterwards for what has come before. It is told of the
   * end of the daemon by the socket only.
   *
   * @param waiter of the stream's session
   * @param bit 0 to {@link StreamWaiter#BITS} - 1
   * @return false if another waiter is told
   */
  public boolean tell(StreamWaiter waiter, int bit) {
    if (waiter.session() != session) {
      throw new IllegalArgumentException("a waiter of another session");
    }
    return header.nameWaiter(waiter.number(), bit);
  }

  /** Lets no waiter be told any more. */
  public void tellNobody() {
    header.forgetWaiter();
  }

  /** Lets the waiter be told when half of the send ring is free. Look afterwards. */
  public void askForRoom() {
    header.askForRoom();
    ring();
  }

  /** Writes all octets, and waits until there is room for them. */
  public void write(byte[] from) throws IOException {
    int written = 0;
    while (written < from.length) {
      int octets = tryWrite(from, written, from.length - written);
      written += octets;
      if (octets == 0) {
        awaitRoom();
      }
    }
  }

  private void awaitRoom() throws IOException {
    armSending();
    PollSet poll = new PollSet();
    poll.addForSending(socket.descriptor());
    poll.await(WAIT);
  }

  /** Ends sending: the peer reads what has been written, and then the end. */
  public void endSending() {
    header.addProgramFlags(StreamHeader.END_SENDING);
    ring();
  }

  /** Tells the daemon that nothing will be read any more. */
  public void endReceiving() {
    header.addProgramFlags(StreamHeader.RECEIVING_ENDED);
    ring();
  }

  /** Makes {@link #close} and {@link #hangUp} reset the stream. */
  public void abortAtClose() {
    header.addProgramFlags(StreamHeader.ABORT_AT_CLOSE);
  }

  /**
   * Makes the octets pass through a socket, which may be given to other processes. Nothing can be
   * read or written here afterwards.
   */
  public PairedSocket bridge() throws IOException {
    return new PairedSocket(session.bridge(socket.descriptor()));
  }

  /**
   * Ends the stream for daemon and peer as {@link #close} does, and wakes who waits for the socket;
   * other threads may still be inside calls.
   */
  public void hangUp() {
    socket.shutdown();
  }

  /** Closes it here, after the last call. The daemon sends what has been written. */
  @Override
  public void close() {
    if (socket.descriptor().isOpen()) {
      GivenBack.say(socket);
    }
    socket.close();
    memory.close();
  }
}
