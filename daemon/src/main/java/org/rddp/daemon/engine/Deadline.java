package org.rddp.daemon.engine;

import org.rddp.ddp.DdpStream;
import org.rddp.tcp.TcpStream;

/**
 * When a connection has waited long enough for its peer: at some time, or when nothing has moved
 * between the two for some time. Engine thread only.
 */
final class Deadline {
  private static final int NONE = -1;

  private final Deadlines all;
  private final Runnable onDue;

  /** Where it is among all that are set, or {@link #NONE}. */
  private int place = NONE;

  private long at;
  private TcpStream watched;
  private DdpStream held;
  private long idle;
  private long position;

  /**
   * One that is not set.
   *
   * @param all those of the engine, which look after it
   * @param onDue what is done when it has come; it is not set any more by then
   */
  Deadline(Deadlines all, Runnable onDue) {
    this.all = all;
    this.onDue = onDue;
  }

  /** Due at that time, whatever moves until then. */
  void set(long time) {
    at = time;
    watched = null;
    place = place == NONE ? all.add(this) : place;
  }

  /**
   * Due when for so many nanoseconds the peer has acknowledged nothing more and sent nothing more,
   * and the program has taken nothing of what is held for it.
   */
  void setIdle(TcpStream tcp, DdpStream ddp, long nanos, long now) {
    set(now + nanos);
    watched = tcp;
    held = ddp;
    idle = nanos;
    position = position();
  }

  /** Never due. */
  void clear() {
    if (place != NONE) {
      all.remove(place);
      place = NONE;
    }
  }

  /** It has another place among all from now on. */
  void setPlace(int to) {
    place = to;
  }

  /** Has done what is to be done if it has come. */
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

  /** What is taken is no longer held, and what is held has been received: the sum only grows. */
  private long position() {
    long acknowledged = watched.sendPosition() - watched.unacknowledged();
    return acknowledged + watched.receivePosition() - held.heldOctets();
  }
}
