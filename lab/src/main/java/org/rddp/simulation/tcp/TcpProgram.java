package org.rddp.simulation.tcp;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.rddp.device.PacketPool;
import org.rddp.simulation.OctetPattern;
import org.rddp.simulation.OctetRanges;
import org.rddp.simulation.Violations;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpState;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * One end of a TCP connection: sends a pattern, consumes what arrives sooner or later, and checks
 * that every octet arrives once and unchanged, and does not change while it lies in its packet.
 */
final class TcpProgram implements StreamHandler {
  private static final int MOST_UNREAD = 48;

  /** Octets that have arrived and were not consumed yet, in their packet. */
  private record Unread(long position, long address, int length, long packet) {}

  private final Violations violations;
  private final SplittableRandom random;
  private final TcpTraffic traffic;
  private final OctetPattern sends;
  private final OctetPattern expects;
  private final StateWatch states;
  private final OctetRanges arrived = new OctetRanges();
  private final ArrayDeque<Unread> unread = new ArrayDeque<>();
  private LongPredicate forged = position -> false;
  private long userTimeout;
  private long silence;
  private long lastReceivedAt;
  private long acknowledgedAt;
  private TcpConnection stream;
  private long sent;
  private long received;
  private long early;
  private long read;
  private long acknowledged;
  private long sendAt;
  private long readAt;
  private boolean active;
  private boolean met;
  private boolean open;
  private boolean closing;
  private boolean peerClosed;
  private boolean aborted;
  private boolean dead;
  private CloseReason closed;

  TcpProgram(
      Violations violations,
      SplittableRandom random,
      TcpTraffic traffic,
      OctetPattern sends,
      OctetPattern expects) {
    this.violations = violations;
    this.random = random;
    this.traffic = traffic;
    this.sends = sends;
    this.expects = expects;
    states = new StateWatch(violations);
  }

  /** Sets the positions of octets that the network has corrupted without TCP noticing. */
  void corrupted(LongPredicate positions) {
    forged = positions;
  }

  /** Sets the connection before it is established. */
  void uses(TcpConnection connection) {
    stream = connection;
    active = true;
  }

  /** Sets how long its TCP must wait for a peer that does not answer. */
  void settings(TcpSettings settings) {
    boolean asks = settings.keepAlive() != Long.MAX_VALUE;
    long questions = settings.keepAliveProbes() * settings.keepAliveInterval();
    silence = asks ? settings.keepAlive() + questions : Long.MAX_VALUE;
    userTimeout = settings.userTimeout();
  }

  @Override
  public void onOpen(TcpStream opened) {
    check(stream == null || stream == opened, "opened on another connection");
    stream = (TcpConnection) opened;
    check(!open && closed == null, "opened late or twice");
    open = true;
    lastReceivedAt = now();
    acknowledgedAt = now();
    send();
  }

  /** Puts a segment behind the train that waits, or mostly where the next ones can follow it. */
  private boolean sendReserved() {
    int train = stream.trainSegment();
    int largest = traffic.largest() == 0 ? stream.emss() : traffic.largest();
    int most = train == 0 ? Math.min(1 + random.nextInt(largest), stream.emss()) : train;
    most = train != 0 && random.nextInt(8) == 0 ? 1 + random.nextInt(train) : most;
    int length = (int) Math.min(most, traffic.octets() - sent);
    long address = stream.reserve(length, random.nextInt(4) == 0, random.nextInt(4) > 0);
    if (address == 0) {
      return false;
    }
    sends.write(sent, address, length);
    sent += length;
    stream.commit(length, random.nextInt(8) > 0);
    return true;
  }

  private void send() {
    while (!closing && sent < traffic.octets() && now() >= sendAt && stream.sendable()) {
      check(stream.sendPosition() == sent, "send position " + stream.sendPosition());
      if (random.nextBoolean() && sendReserved()) {
        continue;
      }
      long packet = stream.allocate();
      if (packet == 0) {
        return;
      }
      int most = traffic.largest() == 0 ? stream.emss() : 1 + random.nextInt(traffic.largest());
      long address = stream.pool().address(packet);
      int room = (int) (stream.pool().end(packet) - address);
      int length = (int) Math.min(Math.min(most, room), traffic.octets() - sent);
      sends.write(sent, address, length);
      stream.pool().window(packet, address, length);
      sent += length;
      stream.send(packet);
      if (random.nextDouble() < traffic.think()) {
        sendAt = now() + random.nextLong(traffic.thinkTime());
        setAlarm();
      }
    }
    if (sent == traffic.octets() && !closing && closed == null) {
      closing = true;
      stream.closeSend();
    }
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    check(closed == null, "octets after the end");
    boolean inTurn = position == arrived.edge();
    long edge = stream.receivePosition();
    check(inTurn ? position + length == edge : position > edge, "the left edge is " + edge);
    check(arrived.add(position, length), "octets from " + position + " come again");
    received += length;
    lastReceivedAt = now();
    if (!inTurn) {
      early++;
    }
    stream.pool().retain(packet);
    unread.add(new Unread(position, address, length, packet));
    if (received >= traffic.abortAfter()) {
      abort();
      return;
    }
    if (random.nextDouble() < traffic.tire()) {
      readAt = now() + random.nextLong(traffic.restTime());
      setAlarm();
    }
    if (now() >= readAt || unread.size() > MOST_UNREAD) {
      read(Integer.MAX_VALUE);
    }
  }

  @Override
  public void onLeftEdge(long position) {
    check(
        position == arrived.edge() && position == stream.receivePosition(),
        "the left edge is " + arrived.edge() + ", not " + position);
  }

  /** Consumes what has arrived: segments until they have that many octets. */
  private void read(int octets) {
    int left = octets;
    while (left > 0 && !unread.isEmpty()) {
      Unread first = unread.poll();
      long wrong = mismatch(first);
      check(wrong < 0, "octet " + wrong + " is not what was sent");
      stream.pool().release(first.packet());
      left -= first.length();
      read += first.length();
      if (closed == null) {
        stream.consumed(first.length());
      }
    }
  }

  /** The first position that is wrong and was not corrupted by the network, or -1. */
  private long mismatch(Unread part) {
    long from = part.position();
    long end = from + part.length();
    while (from < end) {
      long address = part.address() + (from - part.position());
      long wrong = expects.mismatch(from, address, (int) (end - from));
      if (wrong < 0 || !forged.test(wrong)) {
        return wrong;
      }
      from = wrong + 1;
    }
    return -1;
  }

  @Override
  public void onSendable() {
    send();
  }

  @Override
  public void onEmss(int emss) {
    check(emss > 0 && emss == stream.emss(), "EMSS " + emss);
  }

  @Override
  public void onAlarm(long now) {
    check(closed == null, "an alarm after the end");
    if (now >= readAt && !unread.isEmpty()) {
      read(traffic.sip() == 0 ? Integer.MAX_VALUE : traffic.sip());
      if (!unread.isEmpty()) {
        readAt = now + random.nextLong(traffic.restTime()) / 16;
      }
    }
    send();
    if (closed == null) {
      setAlarm();
    }
  }

  private void setAlarm() {
    long now = now();
    long sending = sendAt > now ? sendAt : Long.MAX_VALUE;
    long reading = readAt > now || !unread.isEmpty() ? Math.max(readAt, now + 1) : Long.MAX_VALUE;
    stream.alarm(Math.min(sending, reading));
  }

  private long now() {
    return stream.now();
  }

  @Override
  public void onPeerClosed() {
    check(!peerClosed, "the peer closed twice");
    check(!arrived.gaps(), "the peer's end came before all of its octets");
    peerClosed = true;
    lastReceivedAt = now();
  }

  @Override
  public void onClosed(CloseReason reason) {
    check(closed == null, "closed twice");
    closed = reason;
    if (gaveUp()) {
      long waited = now() - acknowledgedAt;
      boolean late = waited >= userTimeout || now() - lastReceivedAt >= silence;
      check(late, "the peer was given up " + waited + " ns after its last acknowledgment");
    }
    if (stream != null) {
      read(Integer.MAX_VALUE);
    }
  }

  /** Power has failed at its host: it does nothing more. */
  void die() {
    dead = true;
  }

  /** Whether its host has lost power. */
  boolean dead() {
    return dead;
  }

  /** Whether it has ended. */
  boolean done() {
    return dead || closed != null;
  }

  /** Resets the connection, or stops waiting for one. */
  void abort() {
    aborted = true;
    if (stream == null) {
      closed = CloseReason.ABORTED;
    } else {
      stream.abort();
    }
  }

  /** Checks what must hold after each turn of the duty cycle. */
  void check() {
    if (stream == null || dead) {
      return;
    }
    states.saw(stream.state());
    met |= active && stream.state() == TcpState.SYN_RECEIVED;
    if (open && closed == null) {
      // Our FIN takes a position too.
      long now = Math.min(sent, sent - stream.unacknowledged());
      check(now >= acknowledged && now <= sent, "acknowledged " + now + " of " + sent);
      if (now > acknowledged) {
        lastReceivedAt = now();
        acknowledgedAt = lastReceivedAt;
      }
      acknowledged = now;
      long edge = arrived.edge() + (peerClosed ? 1 : 0);
      check(
          stream.receivePosition() == edge,
          "the left edge is " + edge + ", not " + stream.receivePosition());
    }
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      violations.add(what);
    }
  }

  /** A number that grows when the connection makes progress. */
  long progress() {
    return received + read + acknowledged + sent + (peerClosed ? 1 : 0) + (closed == null ? 0 : 1);
  }

  /** How many octets it sends in all. */
  long toSend() {
    return traffic.octets();
  }

  /** Octets received. */
  long received() {
    return received;
  }

  /** Segments that were handed up out of order. */
  long early() {
    return early;
  }

  /** Whether its TCP has ended the connection because the peer did not answer. */
  private boolean gaveUp() {
    return open && closed == CloseReason.TIMEOUT;
  }

  /** Whether it has ended other than by closing. */
  boolean lost() {
    return dead || aborted || gaveUp();
  }

  /** Whether this end has seen a simultaneous open. */
  boolean met() {
    return met;
  }

  /** Whether the peer has closed. */
  boolean peerClosed() {
    return peerClosed;
  }

  /** How the connection ended, or null. */
  CloseReason closed() {
    return closed;
  }

  /** Goes on with another connection, if the former one is its own. */
  void goesOn(TcpConnection former, TcpConnection next) {
    if (stream != former) {
      return;
    }
    stream = next;
    if (closed == null) {
      next.resume(this);
    }
    PacketPool from = former.pool();
    PacketPool to = next.pool();
    if (from.equals(to)) {
      return;
    }
    for (int left = unread.size(); left > 0; left--) {
      Unread part = unread.poll();
      long packet = part.length() > to.room() ? to.allocateLong() : to.allocate();
      Memory.copy(part.address(), to.address(packet), part.length());
      unread.add(new Unread(part.position(), to.address(packet), part.length(), packet));
      from.release(part.packet());
    }
  }
}
