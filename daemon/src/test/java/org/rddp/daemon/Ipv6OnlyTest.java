package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.DaemonInterface;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;

/** Interfaces without an address of IPv4. */
class Ipv6OnlyTest {
  private TestDaemon daemon;

  @AfterEach
  void close() {
    TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is free");
    daemon.close();
  }

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(address, port);
  }

  /** With several engines, some connections come to another engine's queue. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldConnectToEveryAddressOfAListener(int engines) {
    daemon = TestDaemon.withoutIpv4(engines);
    List<DaemonInterface> interfaces = Rddp.interfaces(daemon.socket());
    String ours = AddressText.of(interfaces.getFirst().ipv6().getLast());
    InetSocketAddress theirs = new InetSocketAddress(interfaces.getLast().ipv6().getLast(), 0);
    for (int i = 0; i < engines; i++) {
      try (Rddp here = daemon.connect("one");
          Rddp there = daemon.connect("two");
          Listener listener = there.listen(0)) {
        int port = listener.address().getPort();
        InetSocketAddress first = at(TestDaemon.IPV6_TWO, port);
        InetSocketAddress linkLocal = new InetSocketAddress(theirs.getAddress(), port);
        assertThat(listener.address()).isEqualTo(first);
        assertThat(listener.addresses()).containsExactly(first, linkLocal);
        Exchange exchange = new Exchange(here, there);
        exchange.over(listener, first, TestDaemon.IPV6_ONE);
        exchange.over(listener, linkLocal, ours);
      }
    }
  }

  @Test
  void shouldListInterfacesWithoutIpv4() {
    daemon = TestDaemon.withoutIpv4AtOne();
    List<DaemonInterface> found = Rddp.interfaces(daemon.socket());
    DaemonInterface one = found.getFirst();
    assertThat(one.address()).isNull();
    assertThat(one.prefix()).isZero();
    assertThat(one.gateway()).isNull();
    assertThat(one.ipv6()).hasSize(2);
    assertThat(one.addresses()).isEqualTo(one.ipv6());
    DaemonInterface two = found.getLast();
    assertThat(two.addresses()).hasSize(3).startsWith(two.address()).endsWith(two.ipv6().getLast());
  }

  @Test
  void shouldSayWhatToDoTowardsAddressesOfIpv4() {
    daemon = TestDaemon.withoutIpv4AtOne();
    try (Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        Listener listener = there.listen(0)) {
      InetSocketAddress to = at(TestDaemon.ADDRESS_TWO, listener.address().getPort());
      assertThatThrownBy(() -> here.connect(to, PrivateData.NONE, TIMEOUT))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE))
          .hasMessageContaining("10.0.0.2 is IPv4, and the interface has no IPv4 address")
          .hasMessageContaining("connect to another address of the host");
      new Exchange(here, there)
          .over(listener, at(TestDaemon.IPV6_TWO, to.getPort()), TestDaemon.IPV6_ONE);
    }
  }

  @Test
  void shouldRefuseToListenAtAddressesOfIpv4() throws IOException {
    daemon = TestDaemon.withoutIpv4AtOne();
    try (RawProgram program = new RawProgram(daemon.socket())) {
      program.begin("one");
      for (IpAddress wrong : List.of(IpAddress.ipv4(0), IpAddress.ipv4(0x0a000001))) {
        assertThat(program.refusal(number -> listen(number, wrong))).isEqualTo(Reason.NO_INTERFACE);
      }
      DaemonMessage reply = program.request(number -> listen(number, IpAddress.ANY));
      assertThat(((DaemonMessage.Listening) reply).address())
          .isEqualTo(IpAddress.ipv6(0x20010db8L << 32, 1));
    }
  }

  private static ProgramMessage listen(int number, IpAddress address) {
    return new ProgramMessage.Listen(number, address, 7, 1, ConnectionSettings.RDMAP);
  }
}
