package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.tcp.testing.InMemoryTcpPair;

/**
 * What Linux's siw was seen to send, through the engine's own receiver and back out of its sender.
 *
 * <p>{@code messages.txt} says what Wireshark's decoder sees: {@code interop/tshark/messages}.
 */
class CaptureReplayTest {
  private static final int STARTUP_HEADER = 20;
  private static final int STARTUP_LENGTH = 18;
  private static final int LENGTH = 2;

  private static List<String> wiresharks(String capture, CapturedConnection end)
      throws IOException {
    String prefix = capture + " " + end.number() + " " + end.port() + " ";
    try (InputStream stream =
        CaptureReplayTest.class.getResourceAsStream("/org/rddp/captures/messages.txt")) {
      return new String(stream.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> line.startsWith(prefix))
          .map(line -> line.substring(prefix.length()))
          .toList();
    }
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
  void shouldReadWhatSiwHasSentAndWriteTheVeryOctets(String capture) throws IOException {
    int segments = 0;
    for (CapturedConnection end : CapturedConnection.read(capture)) {
      List<byte[]> ulpdus = ReplayedEnd.ulpdus(end, capture.contains("p2p"));
      List<CapturedSegment> decoded = ulpdus.stream().map(CapturedSegment::decode).toList();
      List<String> expected = wiresharks(capture, end);
      assertThat(decoded.stream().map(CapturedSegment::words).toList())
          .usingElementComparator(CaptureReplayTest::asFarAsShown)
          .as("%s %d, port %d", capture, end.number(), end.port())
          .containsExactlyElementsOf(expected);
      byte[] again = sent(decoded);
      byte[] captured = fpdus(end);
      assertThat(Arrays.mismatch(again, captured))
          .as("where %d and %d octets of FPDUs differ", again.length, captured.length)
          .isEqualTo(-1);
      segments += decoded.size();
    }
    assertThat(segments).isGreaterThan(10);
  }

  /** A payload that Wireshark does not show has "-" for its CRC. */
  private static int asFarAsShown(String ours, String wiresharks) {
    boolean hidden = wiresharks.endsWith(" -");
    String shown = hidden ? wiresharks.substring(0, wiresharks.length() - 1) : wiresharks;
    return hidden && ours.startsWith(shown) ? 0 : ours.compareTo(wiresharks);
  }

  /**
   * Everything behind the startup frame. siw leaves in its pads whatever was there; RFC 5044
   * section 4.2 wants zeros, and with them comes another CRC.
   */
  private static byte[] fpdus(CapturedConnection end) {
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    end.segments().forEach(octets::writeBytes);
    byte[] all = octets.toByteArray();
    int from = STARTUP_HEADER + shortAt(all, STARTUP_LENGTH);
    ByteBuffer fpdus = ByteBuffer.wrap(Arrays.copyOfRange(all, from, all.length));
    fpdus.order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < fpdus.limit(); ) {
      int ulpdu = LENGTH + shortAt(fpdus.array(), at);
      int padded = (ulpdu + 3) & ~3;
      Arrays.fill(fpdus.array(), at + ulpdu, at + padded, (byte) 0);
      if (padded > ulpdu) {
        CRC32C crc = new CRC32C();
        crc.update(fpdus.array(), at, padded);
        fpdus.putInt(at + padded, (int) crc.getValue());
      }
      at += padded + Integer.BYTES;
    }
    return fpdus.array();
  }

  private static int shortAt(byte[] octets, int at) {
    return (octets[at] & 0xff) << 8 | (octets[at + 1] & 0xff);
  }

  /** What our MPA makes of the segments, written from their values alone. */
  private static byte[] sent(List<CapturedSegment> segments) {
    List<byte[]> sent = new ArrayList<>();
    RawUlpduPeer sender = RawUlpduPeer.initiator();
    RawUlpduPeer receiver = RawUlpduPeer.responder();
    InMemoryTcpPair tcp =
        new InMemoryTcpPair(
            sender.transport(), new TappedHandler(receiver.transport(), sent), 1 << 16);
    tcp.run(() -> {});
    sent.clear();
    for (CapturedSegment segment : segments) {
      sender.send(segment.encode());
      tcp.run(() -> {});
    }
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    sent.forEach(octets::writeBytes);
    return octets.toByteArray();
  }
}
