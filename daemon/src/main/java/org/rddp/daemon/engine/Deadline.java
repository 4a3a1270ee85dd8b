package org.rddp.daemon.engine;

import org.rddp.ddp.DdpStream;
import org.rddp.tcp.TcpStream;

/**
 * The end of a connection's wait for its peer: a time, or a period without progress between the
 * two. Engine thread only.
 */
final class Deadline {
  private static final int NONE = -1;

  private final Deadlines all;
  private final Runnable onDue;

  /** Its index in {@link Deadlines}, or {@link #NONE}. */
  private int place = NONE;

  private long at;
  private TcpStream watched;
  private DdpStream held;
  private long idle;
  private long position;

  /**
   * A deadline that is not set.
   *
   * @param all the deadlines of the engine
   * @param onDue called when it has passed; it is no longer set then
   */
  Deadline(Deadlines all, Runnable onDue) {
    this.all = all;
    this.onDue = onDue;
  }

  /** Sets it to a time, whatever progress there is until then. */
  void set(long time) {
    at = time;
    watched = null;
    place = place == NONE ? all.add(this) : place;
  }

  /**
   * Sets it to pass after so many nanoseconds in which the peer acknowledges nothing more and sends
   * nothing more, and the program takes no held message.
   */
  void setIdle(TcpStream tcp, DdpStream ddp, long nanos, long now) {
    set(now + nanos);
    watched = tcp;
    held = ddp;
    idle = nanos;
    position = position();
  }

  /** Unsets it. */
  void clear() {
    if (place != NONE) {
      all.remove(place);
      place = NONE;
    }
  }

  /** Its index in {@link Deadlines} has changed. */
  void setPlace(int to) {
    place = to;
  }

  /** Checks whether it has passed, and acts if so. */
  void expireWhenDue(long now) {
    if (isDue(now)) {
      clear();
      onDue.run();
    }
  }

  private boolean isDue(long now) {
    if (watched != null && position() != position) {
      position = position();
      at = now + idle;
    }
    return at <= now;
  }

  /** Grows with every octet that is acknowledged, received, or taken out of what is held. */
  private long position() {
    long acknowledged = watched.sendPosition() - watched.unacknowledged();
    return acknowledged + watched.receivePosition() - held.heldOctets();
  }
}
