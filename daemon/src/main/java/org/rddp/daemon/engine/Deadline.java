package org.rddp.daemon.engine;

import org.rddp.ddp.DdpStream;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.TcpStream;

/**
 * A connection's deadline for its peer: a time, or a period without progress. Engine thread only.
 */
final class Deadline {
  private static final int NONE = -1;

  private final Deadlines all;
  private final Runnable onDue;

  /** Its index in {@link Deadlines}, or {@link #NONE}. */
  private int place = NONE;

  private long at;

  /** Null if TCP has ended and another engine has gone on with the rest. */
  private TcpStream watched;

  /** Null if it is a time. */
  private DdpStream held;

  private long idle;
  private long position;

  /**
   * Creates an unset deadline.
   *
   * @param all the deadlines of the engine
   * @param onDue called when it has passed; it is no longer set then
   */
  Deadline(Deadlines all, Runnable onDue) {
    this.all = all;
    this.onDue = onDue;
  }

  /** Sets it to a time, regardless of progress. */
  void set(long time) {
    at = time;
    watched = null;
    held = null;
    place = place == NONE ? all.add(this) : place;
  }

  /**
   * Sets it to pass after that many nanoseconds without progress: the peer acknowledges and sends
   * nothing more, and the program takes no held message.
   */
  void setIdle(TcpStream tcp, DdpStream ddp, long nanos, long now) {
    set(now + nanos);
    watched = tcp;
    held = ddp;
    idle = nanos;
    position = position();
  }

  /** Sets it to what it waited for in another engine; false if it is set. */
  boolean resume() {
    if (place != NONE) {
      return false;
    }
    place = all.add(this);
    return true;
  }

  /** Unsets it. */
  void clear() {
    if (place != NONE) {
      all.remove(place);
      place = NONE;
    }
  }

  /** Sets its index in {@link Deadlines}. */
  void setPlace(int to) {
    place = to;
  }

  /** Calls the action if it has passed. */
  void expireWhenDue(long now) {
    if (isDue(now)) {
      clear();
      onDue.run();
    }
  }

  private boolean isDue(long now) {
    if (held != null && position() != position) {
      position = position();
      at = now + idle;
    }
    return at <= now;
  }

  /** Grows with every octet that is acknowledged, received, or taken from held messages. */
  private long position() {
    if (watched == null) {
      return -held.heldOctets();
    }
    long acknowledged = watched.sendPosition() - watched.unacknowledged();
    return acknowledged + watched.receivePosition() - held.heldOctets();
  }

  /**
   * Transfers what it waits for; {@link Deadlines} knows whether it is set.
   *
   * @param tcp of its connection, whose state has been transferred; null if it has ended
   * @param ddp of its connection, likewise
   */
  void transfer(Snapshot snapshot, TcpStream tcp, DdpStream ddp) {
    snapshot.begin(Deadline.class);
    at = snapshot.number("at", at);
    if (snapshot.flag("held", held != null)) {
      if (snapshot.reads()) {
        watched = tcp;
        held = ddp;
      }
      idle = snapshot.number("idle", idle);
      // The positions of a connection that has ended are not transferred.
      position = position() - snapshot.number("position", position() - position);
    }
    snapshot.end();
  }
}
