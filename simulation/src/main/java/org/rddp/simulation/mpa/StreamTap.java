package org.rddp.simulation.mpa;

import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/**
 * Between TCP and MPA at one end of a connection: records what MPA sends, and compares what arrives
 * with what the other end has sent. Changes nothing.
 */
final class StreamTap implements StreamHandler, TcpStream {
  private final SentOctets out;
  private final SentOctets in;
  private final StreamHandler above;
  private TcpStream below;
  private boolean gaveUp;

  /**
   * A tap between TCP and MPA.
   *
   * @param above MPA
   * @param out where what it sends is kept
   * @param in what the other end has sent
   */
  StreamTap(StreamHandler above, SentOctets out, SentOctets in) {
    this.above = above;
    this.out = out;
    this.in = in;
  }

  /** Whether TCP was established. */
  boolean opened() {
    return below != null;
  }

  @Override
  public void onOpen(TcpStream stream) {
    below = stream;
    above.onOpen(this);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    in.came(position, address, length);
    above.onSegment(position, address, length, packet);
  }

  @Override
  public boolean accepts(long position, long address, int length) {
    return above.accepts(position, address, length);
  }

  @Override
  public void send(long packet) {
    out.sent(pool().address(packet), pool().length(packet));
    below.send(packet);
  }

  @Override
  public void send(long packet, boolean more) {
    out.sent(pool().address(packet), pool().length(packet));
    below.send(packet, more);
  }

  @Override
  public long openPacket() {
    return below.openPacket();
  }

  @Override
  public void extend(int octets, boolean more) {
    long packet = below.openPacket();
    out.sent(pool().address(packet) + pool().length(packet), octets);
    below.extend(octets, more);
  }

  @Override
  public void onLeftEdge(long position) {
    above.onLeftEdge(position);
  }

  @Override
  public void onSendable() {
    above.onSendable();
  }

  @Override
  public void onEmss(int emss) {
    above.onEmss(emss);
  }

  @Override
  public void onAlarm(long now) {
    above.onAlarm(now);
  }

  @Override
  public void onPeerClosed() {
    above.onPeerClosed();
  }

  /** Whether TCP has ended the connection since the peer did not answer. */
  boolean gaveUp() {
    return gaveUp;
  }

  @Override
  public void onClosed(CloseReason reason) {
    gaveUp = opened() && reason == CloseReason.TIMEOUT;
    above.onClosed(reason);
  }

  @Override
  public PacketPool pool() {
    return below.pool();
  }

  @Override
  public int emss() {
    return below.emss();
  }

  @Override
  public long sendPosition() {
    return below.sendPosition();
  }

  @Override
  public long receivePosition() {
    return below.receivePosition();
  }

  @Override
  public boolean sendable() {
    return below.sendable();
  }

  @Override
  public long allocate() {
    return below.allocate();
  }

  @Override
  public void consumed(int octets) {
    below.consumed(octets);
  }

  @Override
  public void nagle(boolean on) {
    below.nagle(on);
  }

  @Override
  public void closeSend() {
    below.closeSend();
  }

  @Override
  public void abort() {
    below.abort();
  }

  @Override
  public void alarm(long deadline) {
    below.alarm(deadline);
  }

  @Override
  public long now() {
    return below.now();
  }

  @Override
  public long unacknowledged() {
    return below.unacknowledged();
  }
}
