package org.rddp.tcp;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.rddp.simulation.OctetPattern;

/**
 * A user of TCP for tests: sends so many octets of a pattern in segments of random sizes, checks
 * received octets, in order or not, and closes when it has sent everything.
 */
final class Peer implements StreamHandler {
  private final OctetPattern sends;
  private final OctetPattern expects;
  private final long toSend;
  private final SplittableRandom sizes;
  private final int largest;
  private final BitSet seen = new BitSet();
  private long sent;
  private long edge;
  TcpStream stream;
  long received;
  long outOfOrder;
  boolean opened;
  boolean peerClosed;
  CloseReason closed;
  String wrong;

  /**
   * @param largest the longest segment, 0 for always EMSS octets
   */
  Peer(OctetPattern sends, OctetPattern expects, long toSend, int largest, long seed) {
    this.sends = sends;
    this.expects = expects;
    this.toSend = toSend;
    this.largest = largest;
    sizes = new SplittableRandom(seed);
  }

  @Override
  public void onOpen(TcpStream opening) {
    check(!opened, "opened twice");
    opened = true;
    stream = opening;
    pump();
  }

  private void pump() {
    while (sent < toSend && stream.sendable()) {
      long packet = stream.allocate();
      if (packet == 0) {
        return;
      }
      int limit = largest == 0 ? stream.emss() : 1 + sizes.nextInt(largest);
      int length = (int) Math.min(limit, toSend - sent);
      long address = stream.pool().address(packet);
      sends.write(sent, address, length);
      stream.pool().window(packet, address, length);
      check(stream.sendPosition() == sent, "send position");
      sent += length;
      stream.send(packet);
    }
    if (sent == toSend) {
      sent++;
      stream.closeSend();
    }
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position == edge) {
      edge += length;
    } else {
      check(position > edge, "position " + position + " with the edge at " + edge);
      outOfOrder++;
    }
    check(stream.receivePosition() == edge, "receive position");
    int from = (int) position;
    int first = seen.nextSetBit(from);
    check(first < 0 || first >= from + length, "octet " + first + " twice");
    seen.set(from, from + length);
    long mismatch = expects.mismatch(position, address, length);
    check(mismatch < 0, "wrong octet at " + mismatch);
    check(!peerClosed && closed == null, "octets after the end");
    received += length;
    stream.consumed(length);
  }

  @Override
  public void onLeftEdge(long position) {
    check(position > edge, "edge " + position + " after " + edge);
    check(seen.nextClearBit(0) == position, "edge " + position + " with octets missing");
    check(stream.receivePosition() == position, "receive position");
    edge = position;
  }

  @Override
  public void onSendable() {
    pump();
  }

  @Override
  public void onEmss(int emss) {}

  @Override
  public void onAlarm(long now) {}

  @Override
  public void onPeerClosed() {
    check(!peerClosed, "peer closed twice");
    check(edge == received, "closed before the last octet");
    peerClosed = true;
  }

  @Override
  public void onClosed(CloseReason reason) {
    check(closed == null, "closed twice");
    closed = reason;
  }

  private void check(boolean holds, String what) {
    if (!holds && wrong == null) {
      wrong = what + Arrays.toString(Thread.currentThread().getStackTrace());
    }
  }
}
