package org.rddp.tcp;

/**
 * How a connection speaks to its handler. Whatever a handler throws is counted and ends its own
 * connection, and no other: the duty cycle goes on.
 */
final class Upcalls {
  private final TcpConnection connection;
  private final TcpStack stack;
  private StreamHandler handler;

  /**
   * Upcalls to a handler.
   *
   * @param handler null until a listener's acceptor has named one
   */
  Upcalls(TcpConnection connection, TcpStack stack, StreamHandler handler) {
    this.connection = connection;
    this.stack = stack;
    this.handler = handler;
  }

  /**
   * Whether there is anyone to speak to: not before a connection is accepted, nor after its end.
   */
  boolean heard() {
    return handler != null;
  }

  /** Asks the acceptor for a handler; resets the connection if it gives none. */
  void accept(Acceptor acceptor) {
    try {
      handler =
          acceptor.onIncoming(connection, connection.remoteAddress(), connection.remotePort());
    } catch (Throwable failure) {
      failed(failure);
      return;
    }
    if (handler == null) {
      connection.abort();
    } else if (connection.state() == TcpState.CLOSED) {
      closed(CloseReason.ABORTED);
    }
  }

  void open() {
    try {
      handler.onOpen(connection);
    } catch (Throwable failure) {
      failed(failure);
    }
  }

  void segment(long position, long address, int length, long packet) {
    if (handler == null) {
      return;
    }
    try {
      handler.onSegment(position, address, length, packet);
    } catch (Throwable failure) {
      failed(failure);
    }
  }

  void leftEdge(long position) {
    if (handler == null) {
      return;
    }
    try {
      handler.onLeftEdge(position);
    } catch (Throwable failure) {
      failed(failure);
    }
  }

  void sendable() {
    try {
      handler.onSendable();
    } catch (Throwable failure) {
      failed(failure);
    }
  }

  void emss(int octets) {
    try {
      handler.onEmss(octets);
    } catch (Throwable failure) {
      failed(failure);
    }
  }

  void alarm(long now) {
    try {
      handler.onAlarm(now);
    } catch (Throwable failure) {
      failed(failure);
    }
  }

  void peerClosed() {
    try {
      handler.onPeerClosed();
    } catch (Throwable failure) {
      failed(failure);
    }
  }

  /** The last upcall; without effect when it has been made. */
  void closed(CloseReason reason) {
    StreamHandler last = handler;
    handler = null;
    if (last == null) {
      return;
    }
    try {
      last.onClosed(reason);
    } catch (Throwable failure) {
      stack.handlerFailed(failure);
    }
  }

  private void failed(Throwable failure) {
    stack.handlerFailed(failure);
    connection.abort();
  }
}
