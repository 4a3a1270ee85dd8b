package org.rddp.client.streams;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.ring.StreamEnds;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;

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

  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final MemorySegment FILLERS = Arena.global().allocate(FILLER);
  private static final MemorySegment DROPPED = Arena.global().allocate(64);

  private final StreamSession session;
  private final int section;
  private final int index;
  private final StreamMemory memory;
  private final StreamHeader header;
  private final PairedSocket socket;

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
    this.socket = new PairedSocket(socket);
    header.addProgramFlags(StreamHeader.MAPPED | (accepted ? StreamHeader.TAKEN : 0));
    ring();
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
    while (header.state() == StreamHeader.CONNECTING) {
      awaitMessage(() -> header.state() != StreamHeader.CONNECTING);
    }
    check();
  }

  private void check() throws IOException {
    int state = header.state();
    if (state == StreamHeader.FAILED || (state == StreamHeader.ENDED && header.error() != 0)) {
      throw new StreamException(header.error());
    }
  }

  /** Says whether there is nothing to wait for. */
  private interface Condition {
    boolean holds();
  }

  private void awaitMessage(Condition unless) throws IOException {
    // The message that has come before is for what has been seen.
    boolean hungUp = false;
    long dropped;
    do {
      dropped = socket.receive(DROPPED.address(), DROPPED.byteSize());
      hungUp |= dropped == 0;
    } while (dropped > 0);
    header.armReceiving();
    if (unless.holds()) {
      return;
    }
    if (hungUp) {
      throw new StreamException(StreamException.RESET);
    }
    PollSet poll = new PollSet();
    poll.add(socket.descriptor());
    poll.await(WAIT);
  }

  /**
   * Reads octets that have come; waits for the first.
   *
   * @return how many, or -1 if the peer sends no more
   */
  public int read(byte[] into, int offset, int length) throws IOException {
    while (true) {
      long at = header.consumed();
      long there = header.received() - at;
      if (there > 0) {
        int octets = (int) Math.min(there, length);
        MemorySegment.copy(
            ALL, ValueLayout.JAVA_BYTE, memory.receiveAddress(at), into, offset, octets);
        if (header.consume(at, at + octets)) {
          int quarter = memory.receiveOctets() / 4;
          if (at / quarter != (at + octets) / quarter) {
            ring();
          }
          return octets;
        }
        continue;
      }
      if ((header.daemonFlags() & StreamHeader.PEER_ENDED) != 0 && header.received() == at) {
        return -1;
      }
      check();
      awaitMessage(() ->
          header.received() > at
              || header.daemonFlags() != 0
              || header.state() == StreamHeader.ENDED);
    }
  }

  /**
   * Writes octets for which there is room.
   *
   * @return how many, 0 if there is no room
   */
  public int tryWrite(byte[] from, int offset, int length) throws IOException {
    while (true) {
      check();
      long at = header.written();
      int room = memory.sendOctets() - (int) (at - header.taken());
      int octets = Math.min(room, length);
      if (octets == 0) {
        return 0;
      }
      MemorySegment.copy(from, offset, ALL, ValueLayout.JAVA_BYTE, memory.sendAddress(at), octets);
      if (header.write(at, at + octets)) {
        ring();
        return octets;
      }
    }
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
    header.armSending();
    socket.send(FILLERS.address(), FILLER);
    ring();
    PollSet poll = new PollSet();
    poll.addForSending(socket.descriptor());
    poll.await(WAIT);
  }

  /** Ends sending: the peer reads what has been written, and then the end. */
  public void endSending() {
    header.addProgramFlags(StreamHeader.END_SENDING);
    ring();
  }

  /** Makes {@link #close} reset the stream. */
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

  /** Closes it here. The daemon sends what has been written. */
  @Override
  public void close() {
    socket.close();
    memory.close();
  }
}
