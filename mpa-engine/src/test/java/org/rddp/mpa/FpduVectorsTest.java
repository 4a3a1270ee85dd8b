package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;

import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures of RFC 5044, octet for octet, sent and received. */
class FpduVectorsTest {
  private static final MpaSettings MARKED = MpaSettings.DEFAULTS.withMarkers(true);

  private static final String FIGURE_5 =
      "00000000 002a 4143 00000000 00000000 00000001 00000000"
          + "000000000000000000000000000000000000000000000000 52239983";
  private static final String FIGURE_6 =
      "002a 4143 00000000 00000000 00000002 00000000 00000014"
          + "000000000000000000000000000000000000000000000000 84925898";

  /** A Send of 24 zero octets to queue 0 as a ULPDU. */
  private static byte[] send(int msn) {
    return PeerOctets.hex("4143 00000000 00000000 0000000" + msn + "00000000" + "00".repeat(24));
  }

  /** An Initiator whose peer wants Markers, with {@code octets} sent already. */
  private static MpaEndpoint senderAt(int octets) {
    MpaEndpoint end = MpaEndpoint.initiating(MpaSettings.DEFAULTS, M | C);
    if (octets > 0) {
      end.send(new byte[octets - 10]);
      assertThat(end.stream.takeSent()).hasSize(octets);
    }
    return end;
  }

  /** A Responder that wants Markers, with an FPDU of {@code octets} received already. */
  private static MpaEndpoint receiverAt(int octets) {
    MpaEndpoint end = MpaEndpoint.responding(MARKED, C);
    if (octets > 0) {
      end.stream.receive(PeerOctets.fpdu(new byte[octets - 10], 0));
      end.handler.ulpdus.clear();
    }
    return end;
  }

  @Test
  @Tag("MPA-4.4-18") // the RFC's octets
  @Tag("MPA-4.4-14") // the CRC begins with the Marker
  @Tag("MPA-4.4-15") // and is at the end
  @Tag("MPA-4.3-10") // a Marker goes first
  @Tag("MPA-4.3-08") // which is this FPDU's
  @Tag("MPA-7.1.2-22") // and the length follows
  void figure5Sent() {
    MpaEndpoint end = senderAt(0);
    end.send(send(1), 18);
    assertThat(PeerOctets.hex(end.stream.takeSent())).isEqualTo(FIGURE_5.replace(" ", ""));
  }

  @Test
  @Tag("MPA-4.4-18")
  @Tag("MPA-4.4-14")
  void figure5Received() {
    MpaEndpoint end = receiverAt(0);
    end.stream.receive(PeerOctets.hex(FIGURE_5));
    assertThat(end.handler.ulpdus).containsExactly(send(1));
  }

  @Test
  @Tag("MPA-4.4-19")
  @Tag("MPA-4.2-01")
  @Tag("MPA-4.4-20")
  void figure6Sent() {
    for (int first = 479; first <= 482; first++) {
      MpaEndpoint end = senderAt(0);
      end.send(new byte[first]);
      assertThat(end.stream.takeSent()).hasSize(492);
      end.send(send(2), 18);
      assertThat(PeerOctets.hex(end.stream.takeSent())).isEqualTo(FIGURE_6.replace(" ", ""));
    }
  }

  @Test
  @Tag("MPA-4.4-19")
  @Tag("MPA-4.3-16")
  void figure6Received() {
    MpaEndpoint end = receiverAt(492);
    end.stream.receive(PeerOctets.hex(FIGURE_6));
    assertThat(end.handler.ulpdus).containsExactly(send(2));
    assertThat(end.handler.fragments.getLast()).isEqualTo(2);
  }

  @Test
  @Tag("MPA-4.3-17")
  void figure4BothWays() {
    byte[] ulpdu = PeerOctets.hex("000102030405060708090a0b0c0d0e0f");
    String figure4 = "0010 00010203040506070809 0000000c 0a0b0c0d0e0f 0000 105b1c88";
    MpaEndpoint sender = senderAt(500);
    sender.send(ulpdu);
    assertThat(PeerOctets.hex(sender.stream.takeSent())).isEqualTo(figure4.replace(" ", ""));
    MpaEndpoint receiver = receiverAt(500);
    receiver.stream.receive(PeerOctets.hex(figure4));
    assertThat(receiver.handler.ulpdus).containsExactly(ulpdu);
  }

  @Test
  @Tag("MPA-4.4-13")
  void shouldCoverAMarkerBetweenDataAndCrc() {
    byte[] ulpdu = new byte[42];
    String vector = "002a" + "00".repeat(42) + "0000002c f4887563";
    MpaEndpoint sender = senderAt(468);
    sender.send(ulpdu);
    assertThat(PeerOctets.hex(sender.stream.takeSent())).isEqualTo(vector.replace(" ", ""));
    MpaEndpoint receiver = receiverAt(468);
    receiver.stream.receive(PeerOctets.hex(vector));
    assertThat(receiver.handler.ulpdus).containsExactly(ulpdu);
  }

  @Test
  @Tag("MPA-4.4-21")
  @Tag("MPA-4.2-04")
  @Tag("D03-6.1-01")
  void shouldCoverALeadingMarkerAndOneBeforeTheCrc() {
    byte[] ulpdu = new byte[506];
    String vector = "00000000 01fa" + "00".repeat(506) + "000001fc 1d8bafdb";
    MpaEndpoint sender = senderAt(0);
    sender.send(ulpdu);
    assertThat(PeerOctets.hex(sender.stream.takeSent())).isEqualTo(vector.replace(" ", ""));
    MpaEndpoint receiver = receiverAt(0);
    receiver.stream.receive(PeerOctets.hex(vector));
    assertThat(receiver.handler.ulpdus).containsExactly(ulpdu);
  }

  @Test
  @Tag("MPA-4.1-01")
  @Tag("MPA-4.1-05")
  @Tag("MPA-4.1-03")
  @Tag("MPA-4.1-02")
  void shouldPadToAMultipleOfFourWithZeros() {
    int[] sizes = {8, 8, 12, 12, 12, 12, 16, 16};
    for (int length = 1; length <= 8; length++) {
      byte[] ulpdu = new byte[length];
      Arrays.fill(ulpdu, (byte) 0xee);
      MpaEndpoint end = MpaEndpoint.initiating(MpaSettings.DEFAULTS, C);
      end.send(ulpdu);
      byte[] fpdu = end.stream.takeSent();
      assertThat(fpdu).hasSize(sizes[length - 1]).isEqualTo(PeerOctets.fpdu(ulpdu));
      assertThat(fpdu[1]).isEqualTo((byte) length);
      for (int at = 2 + length; at < fpdu.length - 4; at++) {
        assertThat(fpdu[at]).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("D03-7.2-03")
  @DisplayName("draft-culley-03 figure 5, of DDP and RDMAP version 0")
  void draftFigure5BothWays(boolean received) {
    String figure =
        "00000000 002a 4003 00000000 00000000 00000001 00000000"
            + "000000000000000000000000000000000000000000000000 4c86b384";
    assertVector(0, figure, draftSend(1), received);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("D03-7.2-04")
  @DisplayName("draft-culley-03 figure 6, of DDP and RDMAP version 0")
  void draftFigure6BothWays(boolean received) {
    String figure =
        "002a 4003 00000000 00000000 00000002 00000000 00000014"
            + "000000000000000000000000000000000000000000000000 a19cd103";
    assertVector(492, figure, draftSend(2), received);
  }

  /** A Send of 24 octets, all 0, in the headers of version 0. */
  private static byte[] draftSend(int msn) {
    return PeerOctets.hex("4003 00000000 00000000 0000000" + msn + "00000000" + "00".repeat(24));
  }

  private static void assertVector(int offset, String vector, byte[] ulpdu, boolean received) {
    if (received) {
      MpaEndpoint receiver = receiverAt(offset);
      receiver.stream.receive(PeerOctets.hex(vector));
      assertThat(receiver.handler.ulpdus).containsExactly(ulpdu);
    } else {
      MpaEndpoint sender = senderAt(offset);
      sender.send(ulpdu);
      assertThat(PeerOctets.hex(sender.stream.takeSent())).isEqualTo(vector.replace(" ", ""));
    }
  }
}
