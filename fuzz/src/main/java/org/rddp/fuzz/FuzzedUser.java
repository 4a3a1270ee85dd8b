package org.rddp.fuzz;

import java.util.BitSet;
import org.rddp.device.PacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * A user of a fuzzed TCP connection that checks the rules of its upcalls: opened first and once,
 * closed last and once, each octet once and as the peer has sent it.
 */
final class FuzzedUser implements StreamHandler {
  private FuzzedFlow flow;
  private final BitSet received = new BitSet();
  private TcpStream stream;
  private int unconsumed;
  private boolean peerClosed;
  private boolean closed;

  /** Sets the connection that it uses. */
  void flow(FuzzedFlow its) {
    flow = its;
  }

  /** The octet at a position of what we send. */
  static int sent(long position) {
    return (int) ((position * 0x9e3779b1L) >>> 13) & 0xff;
  }

  @Override
  public void onOpen(TcpStream opened) {
    Frames.require(stream == null && !closed, "opened twice, or after its end");
    stream = opened;
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    alive();
    Frames.require(!peerClosed, "octets after the peer's end");
    Frames.require(length > 0 && position >= 0 && position < 1 << 30, "position " + position);
    int first = (int) position;
    int again = received.nextSetBit(first);
    Frames.require(again < 0 || again >= first + length, "octet " + again + " came twice");
    received.set(first, first + length);
    for (int i = 0; i < length; i++) {
      flow.narrow(first + i, Memory.getByte(address + i));
    }
    unconsumed += length;
  }

  @Override
  public void onLeftEdge(long position) {
    alive();
    Frames.require(received.nextClearBit(0) >= position, "the left edge passed a gap");
  }

  @Override
  public void onSendable() {
    alive();
  }

  @Override
  public void onEmss(int emss) {
    alive();
    Frames.require(emss > 0, "EMSS " + emss);
  }

  @Override
  public void onAlarm(long now) {
    alive();
  }

  @Override
  public void onPeerClosed() {
    alive();
    Frames.require(!peerClosed, "the peer closed twice");
    // Its FIN is a position too.
    long end = stream.receivePosition() - 1;
    Frames.require(received.nextClearBit(0) >= end, "the peer closed over a gap");
    Frames.require(received.length() <= end, "octets behind the peer's end");
    peerClosed = true;
  }

  @Override
  public void onClosed(CloseReason reason) {
    Frames.require(!closed, "closed twice");
    closed = true;
  }

  private void alive() {
    Frames.require(stream != null && !closed, "heard before its opening or after its end");
  }

  boolean closed() {
    return closed;
  }

  /** Sends one packet of that many octets, if it may. */
  void send(int octets) {
    if (stream == null || closed || !stream.sendable()) {
      return;
    }
    long packet = stream.allocate();
    if (packet == 0) {
      return;
    }
    PacketPool pool = stream.pool();
    long address = pool.address(packet);
    int length = Math.min(octets, pool.room());
    long position = stream.sendPosition();
    for (int i = 0; i < length; i++) {
      Memory.putByte(address + i, sent(position + i));
    }
    pool.window(packet, address, length);
    stream.send(packet);
  }

  /** Gives back that many octets, or what there is. */
  void consume(int octets) {
    int done = Math.min(octets, unconsumed);
    if (stream != null && !closed && done > 0) {
      unconsumed -= done;
      stream.consumed(done);
    }
  }

  void closeSend() {
    if (stream != null && !closed) {
      stream.closeSend();
    }
  }

  void abort() {
    if (stream != null && !closed) {
      stream.abort();
    }
  }

  void alarm(long after) {
    if (stream != null && !closed) {
      stream.alarm(stream.now() + after);
    }
  }
}
