package org.rddp.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.control.DaemonMessage;

/**
 * The state of a connection according to the daemon's events. Thread-safe; also the monitor that
 * waiting threads use.
 */
final class ConnectionState {
  private enum Phase {
    CONNECTING,
    ESTABLISHED,
    CLOSED
  }

  private volatile Phase state = Phase.CONNECTING;
  private volatile boolean peerClosed;
  private InetSocketAddress localAddress;
  private InetSocketAddress remoteAddress;
  private PrivateData privateData = PrivateData.NONE;
  private StartupTerms startup;
  private RddpException failure;
  private Reason closeReason;
  private int closeDetail;
  private String closeText = "";
  private volatile StreamError streamError;
  private final CompletableFuture<Void> established = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  boolean isOpen() {
    return state == Phase.ESTABLISHED && streamError == null;
  }

  boolean isClosed() {
    return state == Phase.CLOSED;
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

  synchronized StartupTerms startup() {
    return startup;
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
    return TimedWait.until(this, timeout, this::isClosed);
  }

  /** Waits until the connection is established; throws if it fails. */
  synchronized void awaitEstablished(Duration timeout) {
    if (!TimedWait.until(this, timeout, () -> state != Phase.CONNECTING)) {
      throw new ConnectionFailedException(
          remoteAddress,
          Reason.TIMEOUT,
          0,
          "the daemon has not reported the result for " + timeout);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Sets the peer that this end connects to. */
  synchronized void connectTo(InetSocketAddress peer) {
    remoteAddress = peer;
  }

  /** Completed with the connection, or as {@link #awaitEstablished} throws, on another thread. */
  CompletableFuture<Connection> established(Connection connection) {
    return established.thenApplyAsync(ignored -> connection);
  }

  /** Completed when the connection has ended, on another thread. */
  CompletableFuture<Void> ended() {
    return ended.thenRunAsync(() -> {});
  }

  synchronized void onRequested(DaemonMessage.ConnectionRequested event) {
    localAddress = InetAddresses.address(event.localAddress(), event.localPort());
    remoteAddress = InetAddresses.address(event.remoteAddress(), event.remotePort());
    startup = event.startup();
    privateData = event.privateData();
  }

  synchronized void onEstablished(DaemonMessage.Established event) {
    localAddress = InetAddresses.address(event.localAddress(), event.localPort());
    remoteAddress = InetAddresses.address(event.remoteAddress(), event.remotePort());
    startup = event.startup();
    if (event.privateData().length() > 0) {
      privateData = event.privateData();
    }
    state = Phase.ESTABLISHED;
    notifyAll();
    established.complete(null);
  }

  void onPeerClosed() {
    peerClosed = true;
  }

  void onStreamFailed(DaemonMessage.StreamFailed event) {
    streamError = new StreamError(event);
  }

  /** Ends the connection, even if it was never established. */
  synchronized void onEnd(Reason reason, int detail, String text, RddpException why) {
    if (state == Phase.CLOSED) {
      return;
    }
    if (state == Phase.CONNECTING) {
      failure = why;
    }
    closeReason = reason;
    closeDetail = detail;
    closeText = text;
    state = Phase.CLOSED;
    notifyAll();
    established.completeExceptionally(why);
    ended.complete(null);
  }

  @Override
  public String toString() {
    return state.toString();
  }
}
