package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
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

  @Test
  void shouldResolveNames() {
    assertThat(read("localhost:7").toSocketAddress().getAddress().isLoopbackAddress()).isTrue();
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
        "10.0.0.256:7",
        "2001:db8::2:7",
        "[2001:db8::2]",
        "[2001:db8::2:7",
        "[10.0.0.2]:7x",
        "[::g]:7",
        "a b:c"
      })
  void shouldRefuseWhatIsNoAddress(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("is not ADDRESS:PORT, such as 10.0.0.2:7471, [2001:db8::2]:7471");
  }
}
