package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What Linux's siw was seen to send, through the whole of RDMAP: every frame accepted, and every
 * octet, message and end of a message where Wireshark's decoder sees it ({@code messages.txt}).
 */
class CaptureRdmapTest {
  private static List<String> wiresharks(String capture, CapturedConnection end)
      throws IOException {
    String prefix = capture + " " + end.number() + " " + end.port() + " ";
    try (InputStream stream =
        CaptureRdmapTest.class.getResourceAsStream("/org/rddp/captures/messages.txt")) {
      return new String(stream.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> line.startsWith(prefix))
          .map(line -> line.substring(prefix.length()))
          .toList();
    }
  }

  private static List<CapturedSegment> decoded(CapturedConnection end, boolean peerToPeer) {
    return ReplayedEnd.ulpdus(end, peerToPeer).stream().map(CapturedSegment::decode).toList();
  }

  private static CapturedConnection other(List<CapturedConnection> ends, CapturedConnection end) {
    return ends.stream()
        .filter(each -> each.number() == end.number() && each.port() != end.port())
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ib_read_bw-crc",
        "ib_send_bw-odd-crc",
        "ib_send_lat-crc",
        "ib_write_bw-crc",
        "ib_write_bw-mtu9000-crc",
        "m-p2p-crc",
        "rping-crc",
        "rstream-privdata-crc"
      })
  @Tag("RDMAP-5.1-01")
  @Tag("RDMAP-5.3-01")
  void shouldTakeWhatSiwHasSentInThePlaceOfAnotherSiw(String capture) throws IOException {
    boolean peerToPeer = capture.contains("p2p");
    List<CapturedConnection> ends = CapturedConnection.read(capture);
    int done = 0;
    for (CapturedConnection end : ends) {
      CapturedConnection ours = other(ends, end);
      ReplayedStream replayed =
          new ReplayedStream(decoded(end, peerToPeer), decoded(ours, peerToPeer), ours.initiator());
      replayed.replay(end.segments(), wiresharks(capture, end), peerToPeer);
      done += replayed.messagesDone();
    }
    assertThat(done).isGreaterThan(3);
  }
}
