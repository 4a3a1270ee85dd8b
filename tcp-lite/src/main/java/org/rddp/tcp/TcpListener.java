package org.rddp.tcp;

import java.util.Map;
import org.rddp.group.StackMember;
import org.rddp.tcp.handshake.Backlog;

/** A port on which connections are accepted: the LISTEN state. Engine thread only. */
public final class TcpListener {
  final Acceptor acceptor;
  final Backlog backlog;
  private final Map<Integer, TcpListener> listeners;
  private final StackMember member;
  private final int port;
  private boolean closed;

  TcpListener(
      Map<Integer, TcpListener> listeners,
      StackMember member,
      int port,
      Acceptor acceptor,
      int backlog) {
    this.listeners = listeners;
    this.member = member;
    this.port = port;
    this.acceptor = acceptor;
    this.backlog = new Backlog(backlog);
  }

  /** The local port. */
  public int port() {
    return port;
  }

  /**
   * Accepts no more connections. Established connections stay; a handshake in progress is refused
   * when its next segment arrives or its SYN-ACK would be sent again.
   */
  public void close() {
    closed = true;
    if (listeners.remove(port, this)) {
      member.closeListener(port);
    }
  }

  boolean closed() {
    return closed;
  }
}
