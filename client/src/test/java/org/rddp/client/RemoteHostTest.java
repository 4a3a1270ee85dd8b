package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The addresses of a host, and their order. */
class RemoteHostTest {
  private static List<InetAddress> addresses(String text) {
    return Arrays.stream(text.trim().split(" ")).map(RemoteHostTest::address).toList();
  }

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1,                                10.0.0.1",
    "10.0.0.1 2001:db8::1,                    2001:db8::1 10.0.0.1",
    "10.0.0.1 10.0.0.2 2001:db8::1,           2001:db8::1 10.0.0.1 10.0.0.2",
    "2001:db8::2 2001:db8::1 10.0.0.2,        2001:db8::2 10.0.0.2 2001:db8::1",
    "10.0.0.2 2001:db8::1 10.0.0.1 2001:db8::2, 2001:db8::1 10.0.0.2 2001:db8::2 10.0.0.1",
  })
  @DisplayName("RFC 8305 4: families alternate, and each keeps its order")
  void shouldAlternateFamilies(String found, String expected) {
    assertThat(RemoteHost.alternate(addresses(found))).isEqualTo(addresses(expected));
  }

  @Test
  void shouldResolveAddressesAndNames() throws UnknownHostException {
    assertThat(RemoteHost.resolve("10.0.0.2", 7)).hasToString("10.0.0.2:7");
    assertThat(RemoteHost.resolve("2001:DB8:0::2", 7)).hasToString("[2001:db8::2]:7");
    RemoteHost local = RemoteHost.resolve("localhost", 7);
    assertThat(local).hasToString("localhost:7");
    assertThat(local.addresses()).allMatch(each -> each.getAddress().isLoopbackAddress());
    assertThatThrownBy(() -> RemoteHost.resolve("no-such-host.invalid", 7))
        .isInstanceOf(UnknownHostException.class);
  }

  @Test
  void shouldNameTheAddressesThatWereGiven() {
    RemoteHost host =
        RemoteHost.of(
            new InetSocketAddress("2001:db8::2", 7), new InetSocketAddress("10.0.0.2", 8));
    assertThat(host).hasToString("[2001:db8::2]:7, 10.0.0.2:8");
    assertThat(host.addresses()).extracting(InetSocketAddress::getPort).containsExactly(7, 8);
    assertThatThrownBy(RemoteHost::of).isInstanceOf(IllegalArgumentException.class);
  }
}
