package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Startup frames that Linux's siw was seen to send: read as Wireshark's decoder reads them, and
 * written again octet for octet from their values alone.
 */
class CapturedStartupTest {
  private static List<String> frames() throws IOException {
    try (InputStream stream = CapturedStartupTest.class.getResourceAsStream("startups.txt")) {
      return new String(stream.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("frames")
  @Tag("P2P-6-04")
  @Tag("P2P-9-01")
  void shouldReadTheFrameAndWriteItAgain(String line) {
    String[] fields = line.split(" ", -1);
    StartupFrame.Kind kind = StartupFrame.Kind.valueOf(fields[2]);
    byte[] octets = HexFormat.of().parseHex(fields[8]);
    StartupFrame frame = StartupFrame.decode(kind, octets);
    String read =
        "%d %d %d %d %d"
            .formatted(
                frame.markers() ? 1 : 0,
                frame.crc() ? 1 : 0,
                frame.rejected() ? 1 : 0,
                frame.revision(),
                StartupFrame.privateDataLength(octets));
    assertThat(read).isEqualTo(String.join(" ", Arrays.copyOfRange(fields, 3, 8)));
    assertThat(frame.enhanced()).isTrue();
    int programs = StartupFrame.PRIVATE_DATA + Enhancement.OCTETS;
    byte[] privateData = Arrays.copyOfRange(octets, programs, octets.length);
    StartupFrame again =
        StartupFrame.of(
            frame.kind(),
            frame.markers(),
            frame.crc(),
            frame.rejected(),
            frame.enhanced(),
            frame.revision(),
            frame.enhancement().prefix(privateData));
    assertThat(again.encode()).isEqualTo(octets);
  }
}
