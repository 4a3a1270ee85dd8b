package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.tcp.CloseReason;

/**
 * After errors 2 and 3 nothing more is passed or delivered, whatever comes; nothing is closed; and
 * our own half goes on (RFC 5044 section 8).
 */
class AfterErrorTest {
  private static final MpaSettings EARLY = MpaSettings.DEFAULTS.withMarkers(true).withEarly(true);

  /** Stream position at which Full Operation begins: after a Request without Private Data. */
  private static final int START = 20;

  /** A good FPDU before everything, so that the Responder may send. */
  private static final byte[] FIRST = PeerOctets.fpdu(ulpdu(40), 0);

  private static byte[] ulpdu(int length) {
    byte[] octets = new byte[length];
    new Random(length).nextBytes(octets);
    return octets;
  }

  /** The ways in which it can go wrong. */
  enum Way {
    /** A CRC is wrong, in one segment. */
    CRC_WHOLE(2, true),
    /** A CRC is wrong, in order only. */
    CRC_UNMARKED(2, false),
    /** A CRC is wrong, in three segments. */
    CRC_IN_PIECES(2, true),
    /** The CRC of an FPDU received out of order is wrong. */
    CRC_EARLY(2, true),
    /** A CRC is wrong after FPDUs that were passed early. */
    CRC_BEHIND_EARLY(2, true),
    /** A Marker disagrees, in one segment. */
    MARKER_WHOLE(3, true),
    /** A Marker disagrees, in three segments. */
    MARKER_IN_PIECES(3, true),
    /** The lengths lead past an FPDU that a Marker has led to. */
    MARKER_AT_A_GAP(3, true);

    final int code;
    final boolean markers;

    Way(int code, boolean markers) {
      this.code = code;
      this.markers = markers;
    }
  }

  private MpaEndpoint end;
  private byte[] stream;

  private void fail(Way way) {
    boolean markers = way.markers;
    end = MpaEndpoint.responding(markers ? EARLY : MpaSettings.DEFAULTS, C);
    stream = markers ? FIRST : PeerOctets.fpdu(ulpdu(40));
    for (int length : new int[] {700, 800, 900, 40, 41, 600}) {
      stream =
          PeerOctets.join(stream, PeerOctets.fpdu(ulpdu(length), markers ? stream.length : -1));
    }
    arrive(0, FIRST.length);
    int second = FIRST.length;
    int third = second + 4 * ((700 + 9) / 4) + (markers ? 4 : 0);
    int fourth = third + 4 * ((800 + 9) / 4) + (markers ? 8 : 0);
    switch (way) {
      case CRC_WHOLE, CRC_UNMARKED -> {
        stream[second + 50] ^= 1;
        arrive(second, third);
      }
      case CRC_IN_PIECES -> {
        stream[second + 50] ^= 1;
        arrive(second, second + 1);
        arrive(second + 1, second + 300);
        arrive(second + 300, third);
      }
      case CRC_EARLY -> {
        stream[third + 50] ^= 1;
        arrive(third, fourth);
        arrive(second, third);
      }
      case CRC_BEHIND_EARLY -> {
        stream[second + 50] ^= 1;
        arrive(third, fourth);
        arrive(second, third);
      }
      case MARKER_WHOLE -> {
        spoilMarker(second, third);
        arrive(second, third);
      }
      case MARKER_IN_PIECES -> {
        spoilMarker(second, third);
        arrive(second, second + 1);
        arrive(second + 1, second + 300);
        arrive(second + 300, third);
      }
      case MARKER_AT_A_GAP -> {
        arrive(third, fourth);
        stream[second + 1] = (byte) (stream[second + 1] + 8);
        arrive(second, third);
      }
    }
    assertThat(end.handler.error).isNotNull();
    assertThat(end.handler.error.code()).isEqualTo(way.code);
  }

  private void spoilMarker(int from, int to) {
    byte[] fpdu = Arrays.copyOfRange(stream, from, to);
    fpdu[512 - from + 3] ^= 8;
    System.arraycopy(PeerOctets.resealed(fpdu), 0, stream, from, fpdu.length);
  }

  private void arrive(int from, int to) {
    end.stream.arrive(stream, START, from, to - from);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("MPA-8-13")
  @Tag("MPA-8-14")
  @Tag("MPA-8-15")
  @DisplayName("RFC 5044 8: nothing more is passed or delivered, nothing is closed, we may send")
  void shouldPassNothingMoreAndCloseNothing(Way way) {
    fail(way);
    int heard = end.handler.events.size();
    int sendables = end.handler.sendables;
    long alarm = end.stream.alarm();
    goOnReceiving();
    end.stream.setNow(Math.max(alarm, end.stream.now()));
    end.mpa().onAlarm(end.stream.now());
    assertThat(end.handler.events).hasSize(heard);
    assertThat(end.stream.isClosed()).isFalse();
    assertThat(end.stream.isSendClosed()).isFalse();
    assertThat(end.handler.sendables).isEqualTo(sendables);

    end.stream.makeSendable();
    assertThat(end.handler.sendables).isEqualTo(sendables + 1);
    assertThat(end.mpa().sendable()).isTrue();
    assertThat(end.send(ulpdu(100))).isTrue();
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ulpdu(100)));
    end.stream.changeEmss(536);
    assertThat(end.handler.events.getLast()).isEqualTo("mulpdu 530");

    end.stream.peerCloses();
    assertThat(end.handler.events).hasSize(heard + 1);
    assertThat(end.send(ulpdu(100))).isTrue();
    end.mpa().closeSend();
    assertThat(end.stream.isSendClosed()).isTrue();
    end.stream.end(CloseReason.RESET);
    assertThat(end.handler.events).hasSize(heard + 2).last().isEqualTo("closed RESET");
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  /** Valid FPDUs follow: out of order, then in order, then in pieces. */
  private void goOnReceiving() {
    long consumed = end.stream.consumed();
    long at = end.stream.receivePosition();
    byte[] more = {};
    for (int length : new int[] {700, 800, 900}) {
      int before = (int) (at - START) + more.length;
      more =
          PeerOctets.join(
              more, PeerOctets.fpdu(ulpdu(length), end.startup.negotiated().crc() ? before : -1));
    }
    end.stream.arrive(more, at, 1000, 900);
    end.stream.arrive(more, at, 2000, more.length - 2000);
    end.stream.arrive(more, at, 1900, 100);
    end.stream.arrive(more, at, 0, 5);
    end.stream.arrive(more, at, 5, 995);
    assertThat(end.stream.receivePosition()).isEqualTo(at + more.length);
    assertThat(end.stream.consumed()).as("the window stays open").isEqualTo(consumed + more.length);
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @ParameterizedTest
  @EnumSource
  @Tag("MPA-8-15")
  @DisplayName("RFC 5044 8: octets received out of order after an error are not kept")
  void shouldKeepNothingAfterAnError(Way way) {
    fail(way);
    byte[] more = PeerOctets.fpdu(ulpdu(1400), 0);
    end.stream.arrive(more, end.stream.receivePosition() + 5000, 0, more.length);
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }
}
