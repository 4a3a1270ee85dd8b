package org.rddp.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.rddp.ipc.DaemonMessage;
import org.rddp.ipc.PrivateData;
import org.rddp.ipc.Reason;

/**
 * What becomes of a connection, as the daemon's events tell: being made, established, closed.
 * Thread-safe; a monitor to wait on.
 */
final class ConnectionLife {
  private enum State {
    CONNECTING,
    ESTABLISHED,
    CLOSED
  }

  private volatile State state = State.CONNECTING;
  private volatile boolean peerClosed;
  private InetSocketAddress localAddress;
  private InetSocketAddress remoteAddress;
  private PrivateData privateData = PrivateData.NONE;
  private RddpException failure;
  private Reason closeReason;
  private int closeDetail;
  private String closeText = "";
  private volatile StreamError streamError;

  boolean isOpen() {
    return state == State.ESTABLISHED && streamError == null;
  }

  boolean isClosed() {
    return state == State.CLOSED;
  }

  boolean isPeerClosed() {
    return peerClosed || isClosed();
  }

  StreamError streamError() {
    return streamError;
  }

  synchronized InetSocketAddress localAddress() {
    return localAddress;
  }

  synchronized InetSocketAddress remoteAddress() {
    return remoteAddress;
  }

  synchronized PrivateData privateData() {
    return privateData;
  }

  synchronized Reason closeReason() {
    return closeReason;
  }

  synchronized int closeDetail() {
    return closeDetail;
  }

  synchronized String closeText() {
    return closeText;
  }

  synchronized boolean awaitClosed(Duration timeout) {
    return Waiting.until(this, timeout, this::isClosed);
  }

  /** Waits until it is established, or throws why it is not. */
  synchronized void awaitEstablished(Duration timeout) {
    if (!Waiting.until(this, timeout, () -> state != State.CONNECTING)) {
      throw new ConnectionFailedException(
          Reason.TIMEOUT, 0, "the daemon has not said how it went for " + timeout);
    }
    if (failure != null) {
      throw failure;
    }
  }

  synchronized void onRequested(DaemonMessage.ConnectionRequested event) {
    localAddress = Ipv4.address(event.localAddress(), event.localPort());
    remoteAddress = Ipv4.address(event.remoteAddress(), event.remotePort());
    privateData = event.privateData();
  }

  synchronized void onEstablished(DaemonMessage.Established event) {
    localAddress = Ipv4.address(event.localAddress(), event.localPort());
    remoteAddress = Ipv4.address(event.remoteAddress(), event.remotePort());
    if (event.privateData().length() > 0) {
      privateData = event.privateData();
    }
    state = State.ESTABLISHED;
    notifyAll();
  }

  void onPeerClosed() {
    peerClosed = true;
  }

  void onStreamFailed(DaemonMessage.StreamFailed event) {
    streamError = new StreamError(event);
  }

  /** Also when it was never established. */
  synchronized void onEnd(Reason reason, int detail, String text, RddpException why) {
    if (state == State.CLOSED) {
      return;
    }
    if (state == State.CONNECTING) {
      failure = why;
    }
    closeReason = reason;
    closeDetail = detail;
    closeText = text;
    state = State.CLOSED;
    notifyAll();
  }

  @Override
  public String toString() {
    return state.toString();
  }
}
