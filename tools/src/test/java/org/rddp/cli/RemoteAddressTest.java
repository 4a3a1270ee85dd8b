package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.AddressText;
import picocli.CommandLine.TypeConversionException;

class RemoteAddressTest {
  private static RemoteAddress read(String text) {
    return new RemoteAddress.Converter().convert(text);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.2:7471,             10.0.0.2:7471",
    "[2001:db8::2]:1,           [2001:db8::2]:1",
    "[2001:DB8:0:0:0:0:0:2]:65535, [2001:db8::2]:65535",
    "[fe80::1]:7,               [fe80::1]:7",
  })
  void shouldReadBothFamilies(String text, String expected) {
    assertThat(read(text)).hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "[fe80::1%eth0]:7,               fe80::1, eth0,    [fe80::1%eth0]:7",
    "[FE80:0:0:0:0:0:0:1%no-such]:7, fe80::1, no-such, [fe80::1%no-such]:7",
    "[fe80::1%2x]:7,                 fe80::1, 2x,      [fe80::1%2x]:7",
    "[fe80::1]:7,                    fe80::1, '',      [fe80::1]:7",
  })
  void shouldReadZonesWhateverInterfacesTheKernelHas(
      String text, String address, String zone, String expected) {
    RemoteAddress read = read(text);

    assertThat(AddressText.of(read.host().addresses().getFirst().getAddress())).isEqualTo(address);
    assertThat(read.zone()).isEqualTo(zone);
    assertThat(read).hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "[2001:db8::2%eth0]:7,       2001:db8::2",
    "[ff02::1%eth0]:7,           ff02::1",
    "[::ffff:169.254.0.1%eth0]:7, 169.254.0.1",
  })
  void shouldRefuseZonesOfAddressesThatAreNotLinkLocal(String text, String address) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage(
            address + " has the zone 'eth0', but only link-local addresses (fe80::/10) have zones");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "2", "eth0/1"})
  void shouldRefuseZonesThatAreNotNames(String zone) {
    assertThatThrownBy(() -> read("[fe80::1%" + zone + "]:7"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage(
            "'%s' is not a zone: name one of the daemon's interfaces, such as [fe80::1%%eth0]:7"
                .formatted(zone));
  }

  @Test
  void shouldResolveNames() {
    assertThat(read("localhost:7").host().addresses().getFirst().getAddress().isLoopbackAddress())
        .isTrue();
    assertThatThrownBy(() -> read("no-such-host.invalid:7"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("unknown host 'no-such-host.invalid'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.0.0.2",
        ":7",
        "10.0.0.2:0",
        "10.0.0.2:65536",
        "10.0.0:7",
        "10.0.0.0002:7",
        "10.0.0.256:7",
        "2001:db8::2:7",
        "[2001:db8::2]",
        "[2001:db8::2:7",
        "[10.0.0.2]:7x",
        "[::g]:7",
        "a b:c",
        "10.0.0.2%eth0:7",
        "host%eth0:7",
        "[fe80::1%a%b]:7",
        "[fe80::1]%eth0:7"
      })
  void shouldRefuseWhatIsNoAddress(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("is not ADDRESS:PORT, such as 10.0.0.2:7471, [2001:db8::2]:7471");
  }
}
