package org.rddp.daemon.engine;

import org.rddp.ddp.DdpStream;
import org.rddp.tcp.TcpStream;

/**
 * When a connection has waited long enough for its peer: at some time, or when nothing has moved
 * between the two for some time. Engine thread only.
 */
final class Deadline {
  private long at = Long.MAX_VALUE;
  private TcpStream watched;
  private DdpStream held;
  private long idle;
  private long position;

  /** Due at that time, whatever moves until then. */
  void set(long time) {
    at = time;
    watched = null;
  }

  /**
   * Due when for so many nanoseconds the peer has acknowledged nothing more and sent nothing more,
   * and the program has taken nothing of what is held for it.
   */
  void setIdle(TcpStream tcp, DdpStream ddp, long nanos, long now) {
    watched = tcp;
    held = ddp;
    idle = nanos;
    position = position();
    at = now + nanos;
  }

  /** Never due. */
  void clear() {
    set(Long.MAX_VALUE);
  }

  /** Whether it has come; to be asked more often than a connection may be idle. */
  boolean isDue(long now) {
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
