package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionAddresses;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.DaemonInterface;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** Programs that use IPv6. */
class Ipv6Test {
  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final Exchange exchange = new Exchange(here, there);

  @AfterEach
  void close() {
    here.close();
    there.close();
    TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is free");
    daemon.close();
  }

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(address, port);
  }

  @Test
  void shouldTakeBothFamiliesAtTheWildcard() {
    try (Listener listener = there.listen(0)) {
      int port = listener.address().getPort();
      exchange.over(listener, at(TestDaemon.IPV6_TWO, port), TestDaemon.IPV6_ONE);
      exchange.over(listener, at(TestDaemon.ADDRESS_TWO, port), TestDaemon.ADDRESS_ONE);
    }
  }

  @Test
  void shouldUseTheLinkLocalAddressTowardsOne() {
    List<DaemonInterface> interfaces = Rddp.interfaces(daemon.socket());
    InetAddress ours = interfaces.getFirst().ipv6().getLast();
    InetAddress theirs = interfaces.getLast().ipv6().getLast();
    try (Listener listener = there.listen(new InetSocketAddress(theirs, 0), 1)) {
      int port = listener.address().getPort();
      exchange.over(listener, new InetSocketAddress(theirs, port), AddressText.of(ours));
    }
  }

  @Test
  void shouldTellEveryAddressThatPeersCanConnectTo() {
    List<DaemonInterface> interfaces = Rddp.interfaces(daemon.socket());
    InetAddress ours = interfaces.getFirst().ipv6().getLast();
    InetAddress theirs = interfaces.getLast().ipv6().getLast();
    try (Listener listener = there.listen(0)) {
      int port = listener.address().getPort();
      List<InetSocketAddress> addresses = listener.addresses();

      assertThat(addresses)
          .containsExactly(
              at(TestDaemon.ADDRESS_TWO, port),
              at(TestDaemon.IPV6_TWO, port),
              new InetSocketAddress(theirs, port));
      assertThat(addresses.getFirst()).isEqualTo(listener.address());
      exchange.over(listener, addresses.get(0), TestDaemon.ADDRESS_ONE);
      exchange.over(listener, addresses.get(1), TestDaemon.IPV6_ONE);
      exchange.over(listener, addresses.get(2), AddressText.of(ours));
    }
  }

  @Test
  void shouldListenAtOneAddressOnly() {
    try (Listener listener = there.listen(at(TestDaemon.IPV6_TWO, 0), 1)) {
      assertThat(listener.addresses()).containsExactly(listener.address());
      assertThat(AddressText.of(listener.address().getAddress())).isEqualTo(TestDaemon.IPV6_TWO);
      int port = listener.address().getPort();
      InetSocketAddress other = at(TestDaemon.ADDRESS_TWO, port);
      assertThatThrownBy(() -> here.connect(other, PrivateData.NONE, TIMEOUT))
          .isInstanceOfSatisfying(
              ConnectionFailedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED));
      exchange.over(listener, at(TestDaemon.IPV6_TWO, port), TestDaemon.IPV6_ONE);
    }
  }

  @Test
  void shouldReportThatNobodyListens() {
    assertThatThrownBy(() -> here.connect(at(TestDaemon.IPV6_TWO, 9), PrivateData.NONE, TIMEOUT))
        .isInstanceOfSatisfying(
            ConnectionFailedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED))
        .hasMessageContaining("[2001:db8::2]:9");
  }

  @Test
  void shouldRefuseAddressesOfOthersAndOnesWithoutARoute() {
    assertThatThrownBy(() -> there.listen(at("2001:db8::77", 0), 1))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("10.0.0.2, 2001:db8::2, fe80:")
        .hasMessageContaining("not 2001:db8::77");
    assertThatThrownBy(() -> here.connect(at("2001:db8:1::1", 9), PrivateData.NONE, TIMEOUT))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE));
  }

  @Test
  void shouldFindTheEndsOfAConnection() {
    try (Listener listener = there.listen(0)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      InetSocketAddress to = at(TestDaemon.IPV6_TWO, listener.address().getPort());
      try (Connection out = here.connect(to, PrivateData.NONE, TIMEOUT);
          Connection in = accepted.join()) {
        ConnectionAddresses found = here.findConnection(out.id(), 0);
        assertThat(found.remote()).isEqualTo(to);
        assertThat(found.local()).isEqualTo(in.remoteAddress());
        out.disconnect();
      }
    }
  }
}
