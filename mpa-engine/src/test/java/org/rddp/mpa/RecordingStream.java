package org.rddp.mpa;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.rddp.device.NativePacketPool;
import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * A TCP connection without a network: keeps every segment that its user sends, and hands up octets
 * that a test makes, cut as the test wants.
 */
final class RecordingStream implements TcpStream {
  final NativePacketPool pool;
  final List<byte[]> segments = new ArrayList<>();
  int emss = 1460;
  long now = 1_000;
  long alarm = Long.MAX_VALUE;
  long consumed;
  boolean windowOpen = true;
  boolean packetsToBeHad = true;
  boolean sendClosed;
  boolean aborted;

  private StreamHandler handler;

  /** The packet of a segment that stays open until the turn ends, or 0. */
  private long open;

  private long sent;
  private long received;

  /** Where what arrived before its turn begins and ends. */
  private final TreeMap<Long, Long> early = new TreeMap<>();

  /** A connection with so many packets. */
  RecordingStream(int packets) {
    this(packets, 2304);
  }

  /** A connection with so many packets of so many octets. */
  RecordingStream(int packets, int octets) {
    pool = new NativePacketPool(packets, octets);
  }

  /** Establishes the connection. */
  void open(StreamHandler user) {
    handler = user;
    user.onOpen(this);
  }

  /** Hands up octets as one segment. */
  void receive(byte[] octets) {
    receive(octets, 0, octets.length);
  }

  /** Hands up some of the octets as one segment; the packet is poisoned around them. */
  void receive(byte[] octets, int from, int length) {
    long position = received;
    received += length;
    hand(octets, position, from, length);
  }

  private void hand(byte[] octets, long position, int from, int length) {
    long packet = pool.allocate();
    long address = pool.address(packet);
    Memory.fill(pool.start(packet), pool.end(packet) - pool.start(packet), 0xa5);
    Memory.copy(octets, from, address, length);
    pool.window(packet, address, length);
    handler.onSegment(position, address, length, packet);
    pool.release(packet);
  }

  /**
   * Lets a segment arrive, in its turn or before it, as TCP would hand it up. No octet may arrive
   * twice.
   *
   * @param octets a stream, of which some are in the segment
   * @param start stream position of its first octet
   */
  void arrive(byte[] octets, long start, int from, int length) {
    long position = start + from;
    if (position != received) {
      early.put(position, position + length);
      hand(octets, position, from, length);
      return;
    }
    received += length;
    hand(octets, position, from, length);
    boolean closes = !early.isEmpty() && early.firstKey() == received;
    while (!early.isEmpty() && early.firstKey() == received) {
      received = early.pollFirstEntry().getValue();
    }
    if (closes && !aborted) {
      handler.onLeftEdge(received);
    }
  }

  /**
   * Asks, as TCP would, whether a segment may be taken.
   *
   * @param position stream position of its first octet
   */
  boolean accepts(byte[] octets, long position) {
    long packet = pool.allocate();
    Memory.copy(octets, 0, pool.address(packet), octets.length);
    boolean accepted = handler.accepts(position, pool.address(packet), octets.length);
    pool.release(packet);
    return accepted;
  }

  /** Hands up octets in segments of {@code size} octets, while the connection lives. */
  void receiveCut(byte[] octets, int size) {
    for (int from = 0; from < octets.length && !aborted; from += size) {
      receive(octets, from, Math.min(size, octets.length - from));
    }
  }

  /** Lets time pass up to the alarm. */
  void ring() {
    now = alarm;
    alarm = Long.MAX_VALUE;
    handler.onAlarm(now);
  }

  /** The peer's FIN. */
  void peerCloses() {
    handler.onPeerClosed();
  }

  /** Ends the connection from below. */
  void lose(CloseReason reason) {
    handler.onClosed(reason);
  }

  /** Packets and window are to be had again. */
  void relieve() {
    packetsToBeHad = true;
    windowOpen = true;
    handler.onSendable();
  }

  /** Another EMSS. */
  void changeEmss(int octets) {
    emss = octets;
    handler.onEmss(octets);
  }

  /** Everything sent, as one stream; forgets it. */
  byte[] takeSent() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    segments.forEach(all::writeBytes);
    segments.clear();
    return all.toByteArray();
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
    return sent;
  }

  @Override
  public long receivePosition() {
    return received;
  }

  @Override
  public boolean sendable() {
    return windowOpen && packetsToBeHad;
  }

  @Override
  public long allocate() {
    if (!packetsToBeHad) {
      return 0;
    }
    long packet = pool.allocate();
    Memory.fill(pool.start(packet), pool.end(packet) - pool.start(packet), 0x5a);
    return packet;
  }

  @Override
  public void send(long packet) {
    send(packet, false);
  }

  @Override
  public void send(long packet, boolean more) {
    if (sendClosed || aborted) {
      throw new IllegalStateException("closed");
    }
    turn();
    sent += pool.length(packet);
    open = packet;
    if (!more) {
      turn();
    }
  }

  @Override
  public long openPacket() {
    return open;
  }

  @Override
  public void extend(int octets, boolean more) {
    pool.window(open, pool.address(open), pool.length(open) + octets);
    sent += octets;
    if (!more) {
      turn();
    }
  }

  /** The turn of the duty cycle ends: an open segment leaves. */
  void turn() {
    if (open != 0) {
      leave(open);
      open = 0;
    }
  }

  private void leave(long packet) {
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
    if (!aborted) {
      aborted = true;
      handler.onClosed(CloseReason.ABORTED);
    }
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
