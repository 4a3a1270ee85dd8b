package org.rddp.simulation;

import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/**
 * Stands between a TCP connection and its handler, and passes every call on. Subclasses override
 * what they watch or change.
 */
public abstract class RelayedStream implements StreamHandler, TcpStream {
  private StreamHandler above;
  private TcpStream below;

  /** Passes calls on to a handler. */
  protected RelayedStream(StreamHandler above) {
    this.above = above;
  }

  /** The connection; null until it is open. */
  protected final TcpStream below() {
    return below;
  }

  @Override
  public void onOpen(TcpStream stream) {
    below = stream;
    above.onOpen(this);
  }

  @Override
  public void handler(StreamHandler next) {
    above = next;
  }

  @Override
  public boolean accepts(long position, long address, int length) {
    return above.accepts(position, address, length);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    above.onSegment(position, address, length, packet);
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
  public void onAcknowledged() {
    above.onAcknowledged();
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

  @Override
  public void onClosed(CloseReason reason) {
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
  public void send(long packet) {
    below.send(packet);
  }

  @Override
  public void send(long packet, boolean more) {
    below.send(packet, more);
  }

  @Override
  public long openPacket() {
    return below.openPacket();
  }

  @Override
  public void extend(int octets, boolean more) {
    below.extend(octets, more);
  }

  @Override
  public long allocateTrain() {
    return below.allocateTrain();
  }

  @Override
  public void beginTrain(long packet) {
    below.beginTrain(packet);
  }

  @Override
  public long openTrain() {
    return below.openTrain();
  }

  @Override
  public void append(int octets, boolean more) {
    below.append(octets, more);
  }

  @Override
  public void keeps(int more) {
    below.keeps(more);
  }

  @Override
  public void consumed(int octets) {
    below.consumed(octets);
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

  @Override
  public void awaitAcknowledgment() {
    below.awaitAcknowledgment();
  }
}
