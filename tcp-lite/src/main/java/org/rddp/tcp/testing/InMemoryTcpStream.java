package org.rddp.tcp.testing;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.rddp.device.NativePacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * One end of a TCP connection without TCP: records what its user sends, and passes the user octets
 * of a script, in order or out of order, as TCP would. Time, alarm, window and packets are the
 * script's. A subclass may do something else with the segments sent, see {@link #transmit}.
 */
public class InMemoryTcpStream implements TcpStream {
  /** No octet: packets keep their contents. */
  public static final int NO_FILLER = -1;

  private final NativePacketPool pool;
  private final int filler;
  private final List<byte[]> segments = new ArrayList<>();

  /** Start and end of the ranges received out of order. */
  private final TreeMap<Long, Long> early = new TreeMap<>();

  private StreamHandler handler;
  private int emss;

  /** The packet of a segment that stays open until the turn of the duty cycle ends, or 0. */
  private long open;

  private long sendPosition;
  private long receivePosition;
  private long received;
  private long consumed;
  private int earlySegments;
  private int kept;
  private long now = 1_000;
  private long alarm = Long.MAX_VALUE;
  private boolean windowOpen = true;
  private boolean packetsAvailable = true;
  private boolean sendClosed;
  private boolean peerClosed;
  private boolean closed;

  /**
   * Creates a connection that is not open yet.
   *
   * @param pool the connection's packets
   * @param emss EMSS in octets
   * @param filler an octet that fills packets around the octets of segments, so that a user that
   *     reads or relies on them fails; or {@link #NO_FILLER}
   */
  public InMemoryTcpStream(NativePacketPool pool, int emss, int filler) {
    this.pool = pool;
    this.emss = emss;
    this.filler = filler;
  }

  @Override
  public void keeps(int more) {
    kept += more;
  }

  /** Packets that the user keeps, as it has counted them. */
  public int kept() {
    return kept;
  }

  /** Establishes the connection. */
  public void open(StreamHandler user) {
    handler = user;
    user.onOpen(this);
  }

  /** The user. */
  public StreamHandler handler() {
    return handler;
  }

  /** Passes octets to the user as the next segment in order. */
  public void receive(byte[] octets) {
    receive(octets, 0, octets.length);
  }

  /** Passes some of {@code octets} to the user as the next segment in order. */
  public void receive(byte[] octets, int from, int length) {
    long packet = packet(octets, from, length);
    receive(packet);
    pool.release(packet);
  }

  /** Passes octets to the user in segments of {@code size} octets, until the connection closes. */
  public void receiveCut(byte[] octets, int size) {
    for (int from = 0; from < octets.length && !closed; from += size) {
      receive(octets, from, Math.min(size, octets.length - from));
    }
  }

  /** Passes the octets of a packet to the user as the next segment in order. */
  public void receive(long packet) {
    int length = pool.length(packet);
    long position = receivePosition;
    receivePosition += length;
    received += length;
    handler.onSegment(position, pool.address(packet), length, packet);
  }

  /** Allocates a packet for {@link #receive(long)} that holds some of {@code octets}. */
  public long packet(byte[] octets, int from, int length) {
    long packet = pool.allocate();
    if (packet == 0) {
      throw new AssertionError("packets have run out");
    }
    fill(packet);
    Memory.copy(octets, from, pool.address(packet), length);
    pool.window(packet, pool.address(packet), length);
    return packet;
  }

  private void fill(long packet) {
    if (filler != NO_FILLER) {
      Memory.fill(pool.start(packet), pool.end(packet) - pool.start(packet), filler);
    }
  }

  /**
   * Asks the user, as TCP does, whether a segment may be accepted.
   *
   * @param position stream position of its first octet
   */
  public boolean accepts(byte[] octets, long position) {
    long packet = packet(octets, 0, octets.length);
    boolean accepted = handler.accepts(position, pool.address(packet), octets.length);
    pool.release(packet);
    return accepted;
  }

  /**
   * Passes a segment to the user, in order or out of order. No octet may be passed twice.
   *
   * @param octets a stream, of which some are in the segment
   * @param start stream position of the first octet of {@code octets}
   */
  public void arrive(byte[] octets, long start, int from, int length) {
    long packet = packet(octets, from, length);
    arrive(start + from, packet);
    pool.release(packet);
  }

  /**
   * Passes a segment as {@link #arrive} does if the user accepts it, and unless the connection is
   * closed.
   *
   * @return false if the user has refused it
   */
  public boolean offer(byte[] octets, long start, int from, int length) {
    if (closed || peerClosed) {
      return true;
    }
    long packet = packet(octets, from, length);
    boolean accepted = handler.accepts(start + from, pool.address(packet), length);
    if (accepted) {
      arrive(start + from, packet);
    }
    pool.release(packet);
    return accepted;
  }

  private void arrive(long position, long packet) {
    int length = pool.length(packet);
    if (position > receivePosition) {
      received += length;
      early.put(position, position + length);
      earlySegments++;
      handler.onSegment(position, pool.address(packet), length, packet);
      return;
    }
    receive(packet);
    boolean fillsGap = !early.isEmpty() && early.firstKey() == receivePosition;
    while (!early.isEmpty() && early.firstKey() == receivePosition) {
      receivePosition = early.pollFirstEntry().getValue();
    }
    if (fillsGap && !closed) {
      handler.onLeftEdge(receivePosition);
    }
    if (early.isEmpty()) {
      earlySegments = 0;
    }
  }

  /** The peer's FIN, unless an octet before it is missing. */
  public void peerCloses() {
    if (!closed && !peerClosed && early.isEmpty()) {
      peerClosed = true;
      handler.onPeerClosed();
    }
  }

  /** Lets time pass until the alarm, if one is set. */
  public void fireAlarm() {
    if (alarm != Long.MAX_VALUE && !closed) {
      now = Math.max(now, alarm);
      alarm = Long.MAX_VALUE;
      handler.onAlarm(now);
    }
  }

  /** Ends the connection unless it has ended; an open segment is dropped. */
  public void end(CloseReason reason) {
    if (!closed) {
      closed = true;
      if (open != 0) {
        pool.release(open);
        open = 0;
      }
      handler.onClosed(reason);
    }
  }

  /** Opens the window and makes packets available, and tells the user. */
  public void makeSendable() {
    packetsAvailable = true;
    windowOpen = true;
    if (!closed) {
      handler.onSendable();
    }
  }

  /** Opens or shuts the window without telling the user. */
  public void setWindowOpen(boolean open) {
    windowOpen = open;
  }

  /** Makes packets available or not without telling the user. */
  public void setPacketsAvailable(boolean available) {
    packetsAvailable = available;
  }

  /** Changes EMSS and tells the user. */
  public void changeEmss(int octets) {
    emss = octets;
    handler.onEmss(octets);
  }

  /** Sets EMSS without telling the user. */
  public void setEmss(int octets) {
    emss = octets;
  }

  /** Sets the time in nanoseconds. */
  public void setNow(long nanos) {
    now = nanos;
  }

  /** The segments sent so far, or since the last {@link #takeSent}. */
  public List<byte[]> segments() {
    return segments;
  }

  /** The octets of {@link #segments()} as one stream. */
  public byte[] sent() {
    ByteBuffer all = ByteBuffer.allocate(segments.stream().mapToInt(octets -> octets.length).sum());
    segments.forEach(all::put);
    return all.array();
  }

  /** Returns the octets of {@link #segments()} as one stream and removes them. */
  public byte[] takeSent() {
    byte[] all = sent();
    segments.clear();
    return all;
  }

  /** Deadline of the alarm in nanoseconds, or {@link Long#MAX_VALUE} for none. */
  public long alarm() {
    return alarm;
  }

  /** Octets by which the user has opened the window. */
  public long consumed() {
    return consumed;
  }

  /** Octets passed to the user by which it has not opened the window. */
  public long unconsumed() {
    return received - consumed;
  }

  /** Segments received out of order since there was no gap. */
  public int earlySegments() {
    return earlySegments;
  }

  /** Packets in use. */
  public int packetsInUse() {
    return pool.capacity() - pool.available();
  }

  /** Whether the user has closed its half. */
  public boolean isSendClosed() {
    return sendClosed;
  }

  /** Whether the connection has ended. */
  public boolean isClosed() {
    return closed;
  }

  @Override
  public final NativePacketPool pool() {
    return pool;
  }

  @Override
  public final int emss() {
    return emss;
  }

  @Override
  public final long sendPosition() {
    return sendPosition;
  }

  @Override
  public long receivePosition() {
    return receivePosition;
  }

  @Override
  public boolean sendable() {
    return windowOpen && packetsAvailable && !closed;
  }

  @Override
  public long allocate() {
    long packet = packetsAvailable ? pool.allocate() : 0;
    if (packet != 0) {
      fill(packet);
    }
    return packet;
  }

  @Override
  public void send(long packet) {
    send(packet, false);
  }

  @Override
  public void send(long packet, boolean more) {
    if (sendClosed || closed) {
      throw new AssertionError("sent after the end");
    }
    endTurn();
    sendPosition += pool.length(packet);
    if (more) {
      open = packet;
    } else {
      transmit(packet);
    }
  }

  @Override
  public long openPacket() {
    return open;
  }

  @Override
  public void extend(int octets, boolean more) {
    pool.window(open, pool.address(open), pool.length(open) + octets);
    sendPosition += octets;
    if (!more) {
      endTurn();
    }
  }

  /** Ends the turn of the duty cycle: sends the open segment, if there is one. */
  public final void endTurn() {
    if (open != 0) {
      long packet = open;
      open = 0;
      transmit(packet);
    }
  }

  /**
   * Sends the octets of a packet: here records them as segments of at most EMSS octets. Takes over
   * the reference to the packet.
   */
  protected void transmit(long packet) {
    int length = pool.length(packet);
    for (int from = 0; from < length; from += emss) {
      int part = Math.min(emss, length - from);
      segments.add(Memory.bytes(pool.address(packet) + from, part));
    }
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
