package org.rddp.daemon.engine;

import org.rddp.ip.HostAddress;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;

/**
 * An engine's end of the interface's queue-pair-port: takes connections of peers' queue pairs, each
 * of which introduces itself. Engine thread only.
 */
final class Introducer {
  private final Engine engine;
  private final QueuePairNumbers numbers;

  Introducer(Engine engine, QueuePairNumbers numbers) {
    this.engine = engine;
    this.numbers = numbers;
  }

  /** Begins to listen. */
  void open() {
    engine.listenAlways(numbers.port(), this::onIncoming);
  }

  private StreamHandler onIncoming(TcpConnection stream, HostAddress from, int port) {
    IncomingIntroduction incoming = new IncomingIntroduction(this, engine, stream, from);
    engine.beginStartup(from, incoming);
    return incoming.begin();
  }

  /** Makes one that another engine had. */
  IncomingIntroduction inherit(TcpConnection stream) {
    return new IncomingIntroduction(this, engine, stream, stream.remoteAddress());
  }

  /** A peer has introduced itself, to a queue pair of a session of this engine if all is right. */
  void introduce(IncomingIntroduction incoming) {
    Meetings meetings = meetings(incoming);
    if (meetings == null) {
      incoming.refuse();
    } else {
      meetings.introduce(incoming);
    }
  }

  /** Those of the session whose queue pair a peer asks for; null if this engine has none. */
  Meetings meetings(IncomingIntroduction incoming) {
    Session session = numbers.session(incoming.introduction().to());
    return session == null || !engine.equals(session.engine()) ? null : session.meetings();
  }
}
