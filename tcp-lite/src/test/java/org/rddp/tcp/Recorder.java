package org.rddp.tcp;

import java.util.ArrayList;
import java.util.List;
import org.rddp.wire.Memory;

/**
 * A handler that records its calls, checks that octets are those of the script (each the low eight
 * bits of its sequence number) and consumes them unless disabled. Positions are written as a
 * script's sequence numbers: the first octet is 1.
 */
class Recorder implements StreamHandler {
  final List<String> events = new ArrayList<>();
  TcpStream stream;
  boolean consumes = true;

  /** Whether segments are taken. */
  boolean accepts = true;

  /** What to do when sending may be tried again. */
  Runnable uponSendable = () -> {};

  /** The events since the last call. */
  List<String> takeEvents() {
    List<String> copy = List.copyOf(events);
    events.clear();
    return copy;
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    events.add("open");
  }

  @Override
  public boolean accepts(long position, long address, int length) {
    if (!accepts) {
      events.add("refused " + (position + 1) + "+" + length);
    }
    return accepts;
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    boolean right = true;
    for (int i = 0; i < length; i++) {
      right &= Memory.getByte(address + i) == ((position + 1 + i) & 0xff);
    }
    events.add((right ? "" : "WRONG ") + (position + 1) + "+" + length);
    if (consumes) {
      stream.consumed(length);
    }
  }

  @Override
  public void onLeftEdge(long position) {
    events.add("edge " + (position + 1));
  }

  @Override
  public void onSendable() {
    events.add("sendable");
    uponSendable.run();
  }

  @Override
  public void onEmss(int emss) {
    events.add("emss " + emss);
  }

  @Override
  public void onAlarm(long now) {
    events.add("alarm");
  }

  @Override
  public void onPeerClosed() {
    events.add("peer closed");
  }

  @Override
  public void onClosed(CloseReason reason) {
    events.add("closed " + reason);
  }
}
