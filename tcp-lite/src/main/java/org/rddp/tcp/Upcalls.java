package org.rddp.tcp;

/**
 * Calls the handlers of connections. An exception of a handler is counted and ends only its own
 * connection, not the duty cycle.
 */
final class Upcalls {
  private final StackContext context;

  Upcalls(StackContext context) {
    this.context = context;
  }

  /** Asks the acceptor for a handler; resets the connection if there is none. */
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

  /** Whether the handler accepts a segment; false if it throws. */
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

  /** Whether the handler would keep no more packets than now; false if it throws. */
  boolean keepsNoMore(TcpConnection connection, int length, long packet) {
    try {
      return connection.handler.keepsNoMore(length, packet);
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

  /** Tells the handler, if the connection has not ended meanwhile. */
  void acknowledged(TcpConnection connection) {
    if (connection.handler == null) {
      return;
    }
    try {
      connection.handler.onAcknowledged();
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

  /** Makes the last upcall, once. */
  void closed(TcpConnection connection, CloseReason reason) {
    StreamHandler last = connection.handler;
    connection.handler = null;
    if (last == null) {
      return;
    }
    if (context.trace != null) {
      context.trace.closed(connection, reason);
    }
    try {
      last.onClosed(reason);
    } catch (Throwable failure) {
      report(failure);
    }
  }

  private void failed(TcpConnection connection, Throwable failure) {
    report(failure);
    connection.abort();
  }

  private void report(Throwable failure) {
    context.counters.handlerFailures++;
    context.failures.accept(failure);
  }
}
