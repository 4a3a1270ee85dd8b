package org.rddp.daemon.engine;

import org.rddp.tcp.TcpStream;

/**
 * When a connection has waited long enough for its peer: at some time, or when nothing has moved
 * between the two for some time. Engine thread only.
 */
final class Deadline {
  private long at = Long.MAX_VALUE;
  private TcpStream watched;
  private long idle;
  private long position;

  /** Due at that time, whatever moves until then. */
  void set(long time) {
    at = time;
    watched = null;
  }

  /**
   * Due when for so many nanoseconds the peer has acknowledged nothing more and sent nothing more.
   */
  void setIdle(TcpStream stream, long nanos, long now) {
    watched = stream;
    idle = nanos;
    position = position(stream);
    at = now + nanos;
  }

  /** Never due. */
  void clear() {
    set(Long.MAX_VALUE);
  }

  /** Whether it has come; to be asked more often than a connection may be idle. */
  boolean isDue(long now) {
    if (watched != null && position(watched) != position) {
      position = position(watched);
      at = now + idle;
    }
    return at <= now;
  }

  private static long position(TcpStream stream) {
    return stream.sendPosition() - stream.unacknowledged() + stream.receivePosition();
  }
}
