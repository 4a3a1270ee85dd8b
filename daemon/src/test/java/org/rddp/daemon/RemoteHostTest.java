package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ConnectionRejectedException;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.PrivateData;

/** Connections with hosts that have several addresses. */
@Timeout(60)
class RemoteHostTest {
  private static final int PORT = 7471;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private static RemoteHost host(String... addresses) {
    return RemoteHost.of(
        Arrays.stream(addresses)
            .map(each -> new InetSocketAddress(each, PORT))
            .toArray(InetSocketAddress[]::new));
  }

  private Connection connect(RemoteHost host) {
    return host.connect(here, PrivateData.NONE, TIMEOUT, ConnectionOptions.DEFAULTS);
  }

  private void expectAddress(RemoteHost host, String expected) {
    try (Listener listener = there.listen(new InetSocketAddress("::", PORT), 16)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      try (Connection out = connect(host);
          Connection in = accepted.join()) {
        assertThat(out.remoteAddress()).isEqualTo(new InetSocketAddress(expected, PORT));
        assertThat(in.remoteAddress()).isEqualTo(out.localAddress());
        in.disconnect();
        out.disconnect();
      }
    }
  }

  @Test
  @DisplayName("RFC 8305 5: the first address that answers is used")
  void shouldUseTheFirstAddressIfItAnswers() {
    // Once a connection is there, the daemon has found its IPv6 address to be unique.
    expectAddress(host("2001:db8::2"), "2001:db8::2");
    expectAddress(host("2001:db8::2", "10.0.0.2"), "2001:db8::2");
    expectAddress(host("10.0.0.2", "2001:db8::2"), "10.0.0.2");
  }

  @Test
  @DisplayName("RFC 8305 5: an address that fails is followed by the next at once")
  void shouldGoOnIfThereIsNoRoute() {
    expectAddress(host("2001:db8:77::2", "10.0.0.2"), "10.0.0.2");
  }

  @Test
  @DisplayName("RFC 8305 5: an address that does not answer delays the next for a moment only")
  void shouldGoOnIfNothingAnswers() {
    expectAddress(host("2001:db8::77", "10.0.0.77", "10.0.0.2"), "10.0.0.2");
  }

  @Test
  void shouldNameEveryReasonIfNothingWorks() {
    assertThatThrownBy(() -> connect(host("2001:db8::2", "10.0.0.2", "2001:db8:77::2")))
        .isInstanceOf(RddpException.class)
        .hasMessageContaining("no connection with [2001:db8::2]:7471: ")
        .hasMessageContaining("no connection with 10.0.0.2:7471: ")
        .hasMessageContaining("2001:db8:77::2");
  }

  @Test
  void shouldEndAtAnInterrupt() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> connect(host("2001:db8::77", "10.0.0.77")))
        .isInstanceOf(RddpException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldTakeARejectionForAnAnswer() {
    try (Listener listener = there.listen(new InetSocketAddress("::", PORT), 16)) {
      CompletableFuture<Void> rejected =
          CompletableFuture.runAsync(() -> {
            IncomingConnection incoming = listener.await(TIMEOUT);
            incoming.reject(PrivateData.of(new byte[] {1}));
          });
      assertThatThrownBy(() -> connect(host("2001:db8::2", "10.0.0.2")))
          .isInstanceOf(ConnectionRejectedException.class);
      rejected.join();
      assertThat(listener.poll()).isNull();
    }
  }
}
