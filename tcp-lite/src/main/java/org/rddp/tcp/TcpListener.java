package org.rddp.tcp;

import java.util.Map;
import org.rddp.group.StackMember;
import org.rddp.ip.Path;
import org.rddp.tcp.handshake.Backlog;

/** A port on which connections are accepted: the LISTEN state. Engine thread only. */
public final class TcpListener {
  Acceptor acceptor;
  final Backlog backlog;
  private final Map<Integer, TcpListener> listeners;
  private final StackMember member;
  private final int port;

  /** Whether every stack of the interface takes the remote ports of its share only. */
  private final boolean shared;

  private boolean closed;

  TcpListener(
      Map<Integer, TcpListener> listeners,
      StackMember member,
      int port,
      boolean shared,
      Acceptor acceptor,
      int backlog) {
    this.listeners = listeners;
    this.member = member;
    this.port = port;
    this.shared = shared;
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

  /** Becomes the user of a listener that was restored from a snapshot: takes its connections. */
  public void resume(Acceptor user) {
    acceptor = user;
  }

  /**
   * Whether it accepts connections over a path, and this stack, not another one, takes those from a
   * remote port.
   */
  boolean takes(Path path, int remotePort) {
    return acceptor.isFor(path) && (!shared || member.isOfRemotePort(remotePort));
  }

  /** See {@link TcpStack#listenShared}. */
  boolean shared() {
    return shared;
  }

  boolean closed() {
    return closed;
  }
}
