package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys that {@code rddp ipsec add} reads. */
class IpsecKeysTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "0x00", "123", "0g"})
  void shouldRefuseOtherTextThanKeys(String text) {
    ByteArrayInputStream input = new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> IpsecCommand.keys(input))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("hexadecimal digits");
  }

  @Test
  void shouldReadKeysWithSpaces() throws IOException {
    ByteArrayInputStream input =
        new ByteArrayInputStream("00 ff\n Aa7".concat("b\n").getBytes(StandardCharsets.US_ASCII));
    assertThat(IpsecCommand.keys(input)).containsExactly(0, 0xff, 0xaa, 0x7b);
  }
}
