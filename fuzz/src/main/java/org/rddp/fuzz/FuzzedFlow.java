package org.rddp.fuzz;

import java.util.BitSet;
import org.rddp.wire.Memory;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * State of one pair of ports: the initial sequence numbers, what was sent, and the windows that
 * were advertised.
 */
final class FuzzedFlow {
  private static final int DELTAS = 256;
  private static final int SYNS = 8;

  /** More octets than any script sends. */
  private static final int REACH = 1 << 24;

  final int ourPort;
  final int theirPort;

  /** The peer's SYN has this sequence number, or a little more. */
  final int base;

  /** The user of the latest connection. */
  FuzzedUser user;

  /** The peer's next segment. */
  int next;

  /** The last octet that has left, or SYN or FIN, and one. */
  int sentEnd;

  /** The latest acknowledgment, the sequence number of our SYN, and the latest timestamp. */
  int acknowledged;

  int initial;
  int timestamp;

  /** Sequence numbers of our last SYNs: those answered by cookie and with state differ. */
  private final int[] initials = new int[SYNS];

  private int syns;
  private boolean begun;
  private boolean promised;
  private int edge;
  private int shift;
  private final BitSet deltas = new BitSet(DELTAS);

  FuzzedFlow(int ourPort, int theirPort, int base) {
    this.ourPort = ourPort;
    this.theirPort = theirPort;
    this.base = base;
    next = base;
  }

  /** The octet that the peer sends under a sequence number. */
  static int octet(int sequence) {
    return (sequence * 0x9e3779b1) >>> 24;
  }

  /** A SYN of the peer's has been put on the link. */
  void synchronise(int delta) {
    deltas.set(delta);
    next = base + delta + 1;
  }

  /** An octet was handed up: rules out the SYNs that it does not fit. */
  void narrow(int position, int octet) {
    for (int i = deltas.nextSetBit(0); i >= 0; i = deltas.nextSetBit(i + 1)) {
      if (octet(base + i + 1 + position) != octet) {
        deltas.clear(i);
      }
    }
    Frames.require(!deltas.isEmpty(), "octet " + position + " is not what the peer sent");
  }

  /** Checks a sent segment against those before. */
  void sent(long tcp, int length, TcpOptions options) {
    int flags = Tcp.flags(tcp);
    int sequence = Tcp.sequence(tcp);
    if ((flags & Tcp.RST) != 0) {
      return;
    }
    if ((flags & Tcp.SYN) != 0) {
      // A new connection may begin where the one before did; then it answers another SYN.
      if (!begun || initial != sequence || acknowledged != Tcp.acknowledgment(tcp)) {
        sentEnd = sequence + 1;
        promised = false;
      }
      begun = true;
      initial = sequence;
      initials[syns++ % SYNS] = sequence;
      shift = Math.max(options.windowScale(), 0);
    }
    if (!begun) {
      return; // our SYN has not left: it waits for the peer's MAC address, or was lost doing so
    }
    settle(sequence);
    int header = Tcp.headerLength(tcp);
    for (int i = header; i < length; i++) {
      int position = sequence + i - header - initial - 1;
      Frames.require(
          Memory.getByte(tcp + i) == FuzzedUser.sent(position), "octet " + position + " changed");
    }
    int end = sequence + length - header + (flags & Tcp.FIN);
    if (SequenceNumber.distance(sentEnd, end) > 0) {
      sentEnd = end;
    }
    if ((flags & Tcp.ACK) != 0) {
      acknowledged = Tcp.acknowledgment(tcp);
    }
    if (options.timestamps()) {
      timestamp = options.timestampValue();
    }
    if ((flags & (Tcp.SYN | Tcp.ACK)) == Tcp.ACK) {
      checkWindow(Tcp.window(tcp));
    }
  }

  /** Finds the SYN that the peer has taken, which need not be the last one. */
  private void settle(int sequence) {
    for (int i = syns - 1; i >= Math.max(syns - SYNS, 0); i--) {
      int distance = SequenceNumber.distance(initials[i % SYNS], sequence);
      if (distance >= 0 && distance < REACH) {
        initial = initials[i % SYNS];
        return;
      }
    }
  }

  /** Checks that the right edge never moves back, scaled or, if scaling is unknown, unscaled. */
  private void checkWindow(int window) {
    int unscaled = acknowledged + window;
    int right = acknowledged + (window << shift);
    boolean shrunk =
        promised
            && SequenceNumber.distance(edge, right) < 0
            && SequenceNumber.distance(edge, unscaled) < 0;
    Frames.require(!shrunk, "the window shrank");
    edge = shift == 0 ? right : unscaled;
    promised = true;
  }
}
