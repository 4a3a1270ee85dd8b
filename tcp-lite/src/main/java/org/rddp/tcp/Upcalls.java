package org.rddp.tcp;

/**
 * How a connection speaks to its handler. Whatever a handler throws is counted and ends its own
 * connection, and no other: the duty cycle goes on.
 */
final class Upcalls {
  private final TcpStack stack;

  Upcalls(TcpStack stack) {
    this.stack = stack;
  }

  /** Asks the acceptor for a handler; resets the connection if it gives none. */
  void accept(TcpConnection connection, Acceptor acceptor) {
    try {
      connection.handler =
          acceptor.onIncoming(connection, connection.remoteAddress(), connection.remotePort());
    } catch (Throwable failure) {
      failed(connection, failure);
      return;
    }
    if (connection.handler == null) {
      connection.abort();
    } else if (connection.state() == TcpState.CLOSED) {
      closed(connection, CloseReason.ABORTED);
    }
  }

  void open(TcpConnection connection) {
    try {
      connection.handler.onOpen(connection);
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  /** Whether a segment may be taken; not when the handler fails to answer. */
  boolean accepts(TcpConnection connection, long position, long address, int length) {
    if (connection.handler == null) {
      return true;
    }
    try {
      return connection.handler.accepts(position, address, length);
    } catch (Throwable failure) {
      failed(connection, failure);
      return false;
    }
  }

  void segment(TcpConnection connection, long position, long address, int length, long packet) {
    if (connection.handler == null) {
      return;
    }
    try {
      connection.handler.onSegment(position, address, length, packet);
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  void leftEdge(TcpConnection connection, long position) {
    if (connection.handler == null) {
      return;
    }
    try {
      connection.handler.onLeftEdge(position);
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  void sendable(TcpConnection connection) {
    try {
      connection.handler.onSendable();
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  void emss(TcpConnection connection, int octets) {
    try {
      connection.handler.onEmss(octets);
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  void alarm(TcpConnection connection, long now) {
    try {
      connection.handler.onAlarm(now);
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  void peerClosed(TcpConnection connection) {
    try {
      connection.handler.onPeerClosed();
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  /** The last upcall; without effect when it has been made. */
  void closed(TcpConnection connection, CloseReason reason) {
    StreamHandler last = connection.handler;
    connection.handler = null;
    if (last == null) {
      return;
    }
    try {
      last.onClosed(reason);
    } catch (Throwable failure) {
      stack.handlerFailed(failure);
    }
  }

  private void failed(TcpConnection connection, Throwable failure) {
    stack.handlerFailed(failure);
    connection.abort();
  }
}
