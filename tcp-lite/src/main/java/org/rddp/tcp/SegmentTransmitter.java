package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.tcp.loss.Flight;
import org.rddp.tcp.loss.LossRecovery;
import org.rddp.tcp.loss.Scoreboard;
import org.rddp.tcp.loss.SegmentQueue;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;

/**
 * Which segments of a connection leave now: those lost first, then new ones, as far as the windows
 * allow, each in the packet that the user built and in the boundaries that it was sent with. One
 * for all connections of a stack.
 */
final class SegmentTransmitter {
  private final SegmentOutput output;
  private final PacketPool pool;
  private final TcpCounters counters;

  /** Whether the next segment leaves although the congestion window has no room for it. */
  private boolean probing;

  /** Whether the next segment leaves although the peer's window is silly. */
  private boolean forced;

  SegmentTransmitter(SegmentOutput output, PacketPool pool, TcpCounters counters) {
    this.output = output;
    this.pool = pool;
    this.counters = counters;
  }

  /**
   * Whether a segment of EMSS octets would leave now. With nothing in flight any open window will
   * do: where the peer's is always small, segments leave in pieces.
   */
  boolean sendable(Sender sender) {
    Flight flight = sender.flight;
    long offered = sender.window.octets() - (sender.end - sender.una);
    if (flight == null) {
      return sender.window.octets() > 0;
    }
    long waiting = flight.queue.tail() - flight.board.unsent();
    int open = 0;
    if (waiting > 0) {
      open = flight.queue.length(flight.queue.last());
      if (waiting > 1 || !(sender.nagle || sender.held) || open >= sender.emss) {
        return false;
      }
    }
    if (flight.recovery.nextToRetransmit() != SegmentQueue.NONE) {
      return false;
    }
    long allowed = flight.recovery.allowance() - (sender.end - sender.max);
    return Math.min(offered, allowed) + open >= sender.emss
        || (sender.window.octets() > 0 && sender.end == sender.una);
  }

  /** Whether there is a new segment that the peer has room for. */
  boolean windowHasRoom(Sender sender) {
    Flight flight = sender.flight;
    long next = flight.board.unsent();
    return next < flight.queue.tail()
        && Math.min(flight.queue.length(flight.queue.slot(next)), output.largest(sender.emss))
            <= offered(sender);
  }

  private static long offered(Sender sender) {
    return sender.una + sender.window.octets() - sender.max;
  }

  /** Sends whatever may leave now. */
  void output(Sender sender) {
    Flight flight = sender.flight;
    if (flight == null) {
      return;
    }
    TcpConnection connection = sender.connection;
    if (sender.max == sender.una
        && connection.now() - sender.lastSentAt > sender.timeout.current()) {
      sender.congestion.onIdle(connection.now());
    }
    if (flight.recovery.newDataFirst()) {
      sendNew(sender, flight);
    }
    if (flight.recovery.nextToRetransmit() == SegmentQueue.NONE || repeat(sender, flight)) {
      sendNew(sender, flight);
    }
  }

  /** Sends again what is lost; returns whether all of it has left. */
  private boolean repeat(Sender sender, Flight flight) {
    LossRecovery recovery = flight.recovery;
    int slot = recovery.nextToRetransmit();
    while (slot != SegmentQueue.NONE) {
      boolean first = slot == flight.queue.slot(flight.queue.head());
      int length = Math.min(flight.queue.length(slot), output.largest(sender.emss));
      boolean offered = flight.queue.position(slot) + length <= sender.una + sender.window.octets();
      if ((!first && !offered) || !recovery.maySend(length)) {
        return false;
      }
      if (!repeat(sender, flight, slot)) {
        sender.connection.scheduleFlush();
        return false;
      }
      slot = recovery.nextToRetransmit();
    }
    return true;
  }

  /** Sends a segment again, or as much of it as the path carries now. */
  private boolean repeat(Sender sender, Flight flight, int slot) {
    int part = slot;
    if (flight.queue.length(slot) > output.largest(sender.emss)) {
      long number = flight.queue.find(flight.queue.position(slot));
      part = split(flight.board, number, sender.emss);
    }
    if (part == flight.queue.slot(flight.queue.head())) {
      sender.timer.restart();
    }
    return transmit(sender, flight, part, true);
  }

  /** Sends the first segment again, now, whatever the windows say. */
  void repeatFirst(Sender sender) {
    Flight flight = sender.flight;
    if (!repeat(sender, flight, flight.queue.slot(flight.queue.head()))) {
      sender.connection.scheduleFlush();
    }
  }

  private void sendNew(Sender sender, Flight flight) {
    while (flight.board.unsent() < flight.queue.tail()) {
      if (!sendNext(sender, flight)) {
        return;
      }
    }
  }

  /** Sends the first segment that was not sent yet, if it may leave. */
  private boolean sendNext(Sender sender, Flight flight) {
    long number = flight.board.unsent();
    int slot = flight.queue.slot(number);
    if (flight.queue.packet(slot) != 0) {
      int octets = piece(sender, flight, slot);
      if (octets == 0) {
        return false;
      }
      if (octets < flight.queue.length(slot)) {
        slot = split(flight.board, number, octets);
      }
    }
    if (!transmit(sender, flight, slot, false)) {
      sender.connection.scheduleFlush();
      return false;
    }
    return true;
  }

  private int split(Scoreboard board, long number, int octets) {
    counters.split++;
    return board.split(number, octets);
  }

  /**
   * How many octets of a new segment may leave now, 0 for none. Segments stay whole as long as
   * there is another way: one is cut only when it exceeds the EMSS, or when it exceeds the peer's
   * window with nothing in flight, so that no acknowledgment could open it (RFC 9293 section
   * 3.8.6.2.1).
   */
  private int piece(Sender sender, Flight flight, int slot) {
    long offered = offered(sender);
    int whole = Math.min(flight.queue.length(slot), output.largest(sender.emss));
    if (whole > offered) {
      boolean silly = offered < sender.window.largest() / 2 && !forced;
      if (sender.max > sender.una || offered <= 0 || silly) {
        return 0;
      }
      whole = (int) offered;
    }
    if (!probing && (!flight.recovery.maySend(whole) || waits(sender, flight, slot))) {
      return 0;
    }
    return whole;
  }

  /**
   * Whether a segment waits for more to be put into it: to the end of the turn if the user has said
   * that there may be more, or while data is in flight (RFC 9293 section 3.7.4).
   */
  private boolean waits(Sender sender, Flight flight, int slot) {
    boolean packs = sender.held || (sender.nagle && sender.max > sender.una);
    return packs && slot == flight.queue.last() && flight.queue.length(slot) < sender.emss;
  }

  /** The peer's window is open a little and stays so: the next segment is cut to it. */
  void force(Sender sender) {
    forced = true;
    output(sender);
    forced = false;
  }

  /**
   * Sends the tail loss probe: the next new segment if the peer has room for it, else the last one
   * again (RFC 8985 section 7.3).
   */
  void probeTail(Sender sender) {
    Flight flight = sender.flight;
    long before = flight.board.unsent();
    sender.timer.sent();
    if (before < flight.queue.tail()) {
      probing = true;
      sendNext(sender, flight);
      probing = false;
    }
    if (flight.board.unsent() > before) {
      flight.recovery.probeSent(sender.max, false);
    } else if (transmit(sender, flight, flight.queue.slot(before - 1), true)) {
      flight.recovery.probeSent(sender.max, true);
    }
  }

  /** Sends one segment; false when there is no room, or no packet where one is needed. */
  private boolean transmit(Sender sender, Flight flight, int slot, boolean again) {
    TcpConnection connection = sender.connection;
    SegmentQueue queue = flight.queue;
    if (!connection.room()) {
      return false;
    }
    boolean sent =
        queue.packet(slot) == 0
            ? output.control(connection, sender.sequence(queue.position(slot)), Tcp.FIN | Tcp.ACK)
            : data(sender, queue, slot, again);
    if (!sent) {
      return false;
    }
    long now = connection.now();
    if (sender.max == sender.una) {
      sender.timer.progress();
    }
    if (again) {
      counters.retransmitted++;
    } else {
      sender.max = queue.end(slot);
      sender.timer.sent();
    }
    sender.lastSentAt = now;
    flight.recovery.sent(slot, connection.timestamp(), now);
    return true;
  }

  private boolean data(Sender sender, SegmentQueue queue, int slot, boolean again) {
    long packet = packet(queue, slot);
    if (packet == 0) {
      return false;
    }
    TcpConnection connection = sender.connection;
    int flags = queue.end(slot) == sender.end ? Tcp.ACK | Tcp.PSH : Tcp.ACK;
    int ecn = Ipv4.NOT_ECT;
    if (connection.ecn && !again) {
      // A retransmission could be told from new data by nobody (RFC 3168 section 6.1.5).
      ecn = Ipv4.ECT_0;
      if (sender.windowReduced) {
        flags |= Tcp.CWR;
        sender.windowReduced = false;
      }
    }
    if (!again) {
      counters.octetsOut += queue.length(slot);
    }
    output.data(
        connection,
        packet,
        pool.address(packet) + pool.length(packet) - queue.length(slot),
        queue.length(slot),
        output.offloadsChecksum() ? 0 : queue.sum(slot),
        queue.position(slot),
        flags,
        ecn);
    return true;
  }

  /**
   * A reference to the packet that a segment leaves in: its own, or a copy if the device, a user or
   * another piece has a part in that. 0 when there is no packet.
   */
  private long packet(SegmentQueue queue, int slot) {
    long packet = queue.packet(slot);
    if (!pool.shared(packet)) {
      pool.retain(packet);
      return packet;
    }
    long copy = queue.copy(slot);
    if (copy == 0) {
      counters.packetsExhausted++;
    } else {
      counters.copied++;
    }
    return copy;
  }
}
