package org.rddp.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.TreeMap;
import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * A TCP connection without a network: hands up octets as a script cuts them, in order or early,
 * each once, and keeps what its user sends. The memory around the octets of a segment holds a
 * filler, on which nothing may depend.
 */
final class FuzzedStream implements TcpStream {
  private final NativePacketPool pool;
  private final int filler;
  private final StreamHandler handler;
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  /** Where what has come before its turn begins and ends. */
  private final TreeMap<Long, Long> early = new TreeMap<>();

  /** How many of those have come since there was no gap. */
  private int earlySegments;

  private long edge;
  private long handed;
  private long consumed;
  private long alarm = Long.MAX_VALUE;
  private boolean sendClosed;
  private boolean peerClosed;
  private boolean closed;

  /** The time in nanoseconds. */
  long now = 1000;

  /** Whether packets are to be had. */
  boolean packets = true;

  int emss = 1460;

  FuzzedStream(NativePacketPool pool, int filler, StreamHandler handler) {
    this.pool = pool;
    this.filler = filler;
    this.handler = handler;
    handler.onOpen(this);
  }

  /**
   * A segment arrives, none of whose octets has come before.
   *
   * @param octets a stream, of which some are in the segment
   * @param start stream position of its first octet
   * @return false if the user has refused it: it has not come
   */
  boolean arrive(byte[] octets, long start, int from, int length) {
    if (closed || peerClosed) {
      return true;
    }
    long position = start + from;
    long packet = pool.allocate();
    Frames.require(packet != 0, "packets have run out");
    long address = pool.address(packet);
    Memory.fill(pool.start(packet), pool.end(packet) - pool.start(packet), filler);
    Memory.copy(octets, from, address, length);
    pool.window(packet, address, length);
    boolean accepted = handler.accepts(position, address, length);
    if (accepted) {
      handUp(position, address, length, packet);
    }
    pool.release(packet);
    return accepted;
  }

  private void handUp(long position, long address, int length, long packet) {
    handed += length;
    if (position > edge) {
      early.put(position, position + length);
      earlySegments++;
      handler.onSegment(position, address, length, packet);
      return;
    }
    edge += length;
    handler.onSegment(position, address, length, packet);
    boolean closes = !early.isEmpty() && early.firstKey() == edge;
    while (!early.isEmpty() && early.firstKey() == edge) {
      edge = early.pollFirstEntry().getValue();
    }
    if (closes && !closed) {
      handler.onLeftEdge(edge);
    }
    if (early.isEmpty()) {
      earlySegments = 0;
    }
  }

  /** The peer's FIN, unless something before it is missing. */
  void peerCloses() {
    if (!closed && !peerClosed && early.isEmpty()) {
      peerClosed = true;
      handler.onPeerClosed();
    }
  }

  /** Lets time pass up to the alarm, if there is one. */
  void fireAlarm() {
    if (alarm != Long.MAX_VALUE && !closed) {
      now = Math.max(now, alarm);
      alarm = Long.MAX_VALUE;
      handler.onAlarm(now);
    }
  }

  /** Sending may be tried again. */
  void packetsAvailable() {
    packets = true;
    if (!closed) {
      handler.onSendable();
    }
  }

  /** The connection ends from below, unless it is gone. */
  void end(CloseReason reason) {
    if (!closed) {
      closed = true;
      handler.onClosed(reason);
    }
  }

  /** What the user has sent so far. */
  byte[] sent() {
    return sent.toByteArray();
  }

  /** Whether it is gone. */
  boolean closed() {
    return closed;
  }

  /** Octets handed up that the user has not given back. */
  long unconsumed() {
    return handed - consumed;
  }

  /** Segments that wait behind a gap, at the most. */
  int earlySegments() {
    return earlySegments;
  }

  /** Packets that somebody keeps. */
  int kept() {
    return pool.capacity() - pool.available();
  }

  @Override
  public PacketPool pool() {
    return pool;
  }

  @Override
  public int emss() {
    return emss;
  }

  @Override
  public long sendPosition() {
    return sent.size();
  }

  @Override
  public long receivePosition() {
    return edge;
  }

  @Override
  public boolean sendable() {
    return packets && !closed;
  }

  @Override
  public long allocate() {
    long packet = packets ? pool.allocate() : 0;
    if (packet != 0) {
      Memory.fill(pool.start(packet), pool.end(packet) - pool.start(packet), filler);
    }
    return packet;
  }

  @Override
  public void send(long packet) {
    Frames.require(!sendClosed && !closed, "sent after the end");
    sent.writeBytes(Memory.bytes(pool.address(packet), pool.length(packet)));
    pool.release(packet);
  }

  @Override
  public void consumed(int octets) {
    consumed += octets;
  }

  @Override
  public void closeSend() {
    sendClosed = true;
  }

  @Override
  public void abort() {
    end(CloseReason.ABORTED);
  }

  @Override
  public void alarm(long deadline) {
    alarm = deadline;
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public long unacknowledged() {
    return 0;
  }
}
