package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;
import static org.rddp.mpa.MpaEndpoint.NONE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * MPA that meets another protocol, on either side, with and without its startup frames: section 8
 * of draft-elzur-iwarp-mpa-tcp-analysis.
 */
class OpeningsTest {
  private static final MpaSettings MARKERS = MpaSettings.DEFAULTS.withMarkers(true);
  private static final byte[] ULPDU = {1, 2, 3, 4, 5, 6, 7, 8};
  private static final byte[] ZEROS = new byte[4];

  private static List<ForeignOpening> openings() {
    return ForeignOpening.all();
  }

  private static List<Arguments> openingsWithClauses() {
    return openings().stream().map(each -> Arguments.of(each, each.clause())).toList();
  }

  private static MpaEndpoint responder() {
    return MpaEndpoint.responder(MpaSettings.DEFAULTS).open();
  }

  private static MpaEndpoint initiator() {
    return MpaEndpoint.initiator(MpaSettings.DEFAULTS, NONE).open();
  }

  /** An Initiator whose peer may send FPDUs, which have Markers. */
  private static MpaEndpoint initiating() {
    MpaEndpoint end = MpaEndpoint.initiating(MARKERS, C);
    end.send(ULPDU);
    end.stream.takeSent();
    return end;
  }

  @ParameterizedTest
  @MethodSource("openings")
  void theTableShouldBeRight(ForeignOpening opening) {
    byte[] octets = opening.client();
    assertThat(opening.mayBegin(octets)).isTrue();
    if (opening.pointer() != null) {
      int pointer = (octets[2] & 0xff) << 8 | (octets[3] & 0xff);
      assertThat(pointer & Markers.POINTER_MASK).isEqualTo(opening.pointer());
    }
    if (opening.length() != null) {
      assertThat((octets[4] & 0xff) << 8 | (octets[5] & 0xff)).isEqualTo(opening.length());
    }
  }

  @ParameterizedTest
  @MethodSource("openingsWithClauses")
  @Tag("ANA-8.1-03")
  @Tag("ANA-8.1-07")
  @Tag("MPA-7.1.5-01")
  void startupShouldRefuseEveryOpeningAtItsFirstWrongOctet(ForeignOpening opening, String clause) {
    byte[] octets = opening.client();
    int wrong = octets[0] == 'M' ? 1 : 0;
    for (MpaEndpoint end : new MpaEndpoint[] {responder(), initiator()}) {
      end.stream.receiveCut(octets, 1);
      assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
      assertThat(end.handler.detail).contains(": Key octet " + wrong + " is 0x");
      assertThat(end.stream.consumed()).isEqualTo(wrong);
    }
  }

  @ParameterizedTest
  @MethodSource("openingsWithClauses")
  @Tag("ANA-8.1-06")
  @Tag("ANA-8.1-07")
  @Tag("ANA-8.1-08")
  @Tag("ANA-8.2.4.4-02")
  void fullOperationShouldRefuseEveryOpeningByItsCrc(ForeignOpening opening, String clause) {
    MpaEndpoint end = MpaEndpoint.responding(MARKERS, C);
    long begin = end.stream.receivePosition();
    while (end.handler.error == null) {
      end.stream.receive(opening.client());
      assertThat(end.stream.receivePosition() - begin).isLessThan(70_000);
    }
    assertThat(end.handler.error).isEqualTo(MpaError.CRC);
    assertThat(end.handler.ulpdus).isEmpty();
    assertThat(end.stream.isClosed()).as("closing is for the user").isFalse();
    if (opening.length() != null) {
      long octets = end.stream.receivePosition() - begin;
      assertThat(octets).isGreaterThanOrEqualTo(fpdu(opening.length()));
      assertThat(octets).isLessThan(fpdu(opening.length()) + opening.client().length);
    }
  }

  /** Octets of an FPDU at the beginning of a stream with Markers. */
  private static int fpdu(int length) {
    int octets = (2 + length + 3) / 4 * 4 + 4;
    return octets + 4 * ((octets + 507) / 508);
  }

  @ParameterizedTest
  @MethodSource("openings")
  @Tag("ANA-8.2.4.4-02")
  void aClientThatWaitsForAnAnswerShouldBeGivenUp(ForeignOpening opening) {
    MpaEndpoint end = MpaEndpoint.responding(MARKERS, C);
    end.stream.receive(opening.client());
    for (int i = 0; i < 3 && end.handler.error == null; i++) {
      end.stream.fireAlarm();
    }
    boolean whole = opening.length() != null && opening.client().length >= fpdu(opening.length());
    assertThat(end.handler.error).isEqualTo(whole ? MpaError.CRC : MpaError.CONNECTION_LOST);
    assertThat(end.handler.ulpdus).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("openings")
  @Tag("ANA-8-03")
  void noStreamShouldBeginWithAMarker(ForeignOpening opening) {
    assertThat(opening.mayBegin(ZEROS)).isFalse();
    assertThat(opening.mayBegin(PeerOctets.join(ZEROS, new byte[4]))).isFalse();
  }

  /** What a server of another protocol does with octets that come. */
  private interface PlainServer {
    /**
     * Takes everything that has come so far.
     *
     * @return its answer; null if it closes the connection
     */
    byte[] answer(byte[] received);
  }

  /** Lets an Initiator and a server talk until one of them has had enough. */
  private static MpaEndpoint meet(PlainServer server, byte[] greeting) {
    MpaEndpoint end = initiator();
    byte[] request = end.stream.takeSent();
    if (greeting.length > 0) {
      end.stream.receive(greeting);
    }
    if (!end.stream.isClosed()) {
      byte[] answer = server.answer(request);
      if (answer == null) {
        end.stream.peerCloses();
      } else if (answer.length > 0) {
        end.stream.receive(answer);
      } else {
        end.stream.fireAlarm();
      }
    }
    return end;
  }

  @ParameterizedTest
  @MethodSource("openings")
  @Tag("ANA-8.1-02")
  @Tag("ANA-8.2.2-01")
  @Tag("MPA-7.1.2-14")
  void anInitiatorShouldGetAnErrorFromEveryOtherServer(ForeignOpening opening) {
    // A server closes on what its protocol does not begin with, and waits for the rest of what it
    // does.
    PlainServer server = received -> opening.mayBegin(received) ? NONE : null;
    MpaEndpoint end = meet(server, opening.greeting());
    boolean greeted = opening.greeting().length > 0;
    boolean closed = !greeted && server.answer(PeerOctets.request(C, NONE)) == null;
    assertThat(end.handler.events)
        .containsExactly(closed ? "error 1" : "error 4", "closed ABORTED");
    assertThat(end.handler.detail)
        .startsWith("MPA Reply: Key ")
        .contains(greeted ? " is 0x" : closed ? " when the peer closed" : " after 10000 ms");
    assertThat(end.handler.ulpdus).isEmpty();
  }

  @Test
  @Tag("ANA-8.2.1-01")
  @Tag("MPA-7.1.2-23")
  void echoShouldBeTakenForASecondInitiator() {
    MpaEndpoint end = meet(received -> received, NONE);
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.detail).endsWith("as in an MPA Request");
  }

  @Test
  @Tag("ANA-8.2.1-02")
  @Tag("MPA-7.1.2-14")
  void discardShouldBeNoticedByItsSilence() {
    MpaEndpoint end = meet(received -> NONE, NONE);
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.detail)
        .isEqualTo("MPA Reply: Key is incomplete: 0 of 16 octets after 10000 ms");
  }

  @Test
  @Tag("ANA-8.2.1-03")
  @Tag("ANA-8.2.1-04")
  void chargenAndQuoteShouldBeRefused() {
    byte[] line = new byte[94];
    for (int i = 0; i < line.length; i++) {
      line[i] = (byte) ('!' + i);
    }
    MpaEndpoint startup = meet(received -> line, NONE);
    assertThat(startup.handler.detail).isEqualTo("MPA Reply: Key octet 0 is 0x21, not 0x4d");
    MpaEndpoint end = initiating();
    while (end.handler.error == null) {
      end.stream.receive(line);
    }
    assertThat(end.handler.error).isEqualTo(MpaError.CRC);
    assertThat(end.handler.ulpdus).isEmpty();
  }

  @Test
  @Tag("ANA-8.2.1-03")
  void aMarkerOfTextShouldBeRefusedWhereTheCrcIsRight() {
    MpaEndpoint end = initiating();
    byte[] fpdu = PeerOctets.fpdu(ULPDU, 0);
    System.arraycopy(PeerOctets.hex("21222324"), 0, fpdu, 0, 4);
    end.stream.receive(PeerOctets.resealed(fpdu));
    assertThat(end.handler.error).isEqualTo(MpaError.MARKER);
  }

  @Test
  @Tag("ANA-8.2.1-04")
  void aQuoteThatIsAnFpduShouldBeTakenForOneInFullOperationOnly() {
    byte[] quote = PeerOctets.fpdu(ULPDU, 0);
    MpaEndpoint end = initiating();
    end.stream.receive(quote);
    assertThat(end.handler.ulpdus).containsExactly(ULPDU);
    assertThat(meet(received -> quote, NONE).handler.events)
        .containsExactly("error 4", "closed ABORTED");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4d6f6e2c2032342046656220323030330d0a", "c2a1b3d4", "00000000"})
  @Tag("ANA-8.2.1-05")
  @Tag("ANA-8.2.1-06")
  void daytimeAndTimeShouldPassNothingWhateverTheySay(String octets) {
    MpaEndpoint startup = initiator();
    startup.stream.receive(PeerOctets.hex(octets));
    if (!startup.stream.isClosed()) {
      startup.stream.peerCloses();
    }
    assertThat(startup.handler.events).containsExactly("error 4", "closed ABORTED");

    MpaEndpoint end = initiating();
    end.stream.receive(PeerOctets.hex(octets));
    end.stream.peerCloses();
    assertThat(end.handler.ulpdus).isEmpty();
    // A Marker alone is no FPDU begun: error 1 is a graceful one then.
    assertThat(end.handler.events).endsWith(octets.equals("00000000") ? "peer closed" : "error 1");
  }

  @Test
  @Tag("ANA-8-02")
  @Tag("ANA-8.1-09")
  @Tag("ANA-8.2.1-07")
  @Tag("MPA-7.1.2-22")
  void fullOperationShouldBeginWithFourZeroOctetsIfThePeerWantsMarkers() {
    MpaEndpoint end = MpaEndpoint.initiating(MpaSettings.DEFAULTS, C | M);
    end.send(ULPDU);
    byte[] sent = end.stream.takeSent();
    assertThat(Arrays.copyOf(sent, 4)).as("a time of 0").isEqualTo(ZEROS);
    assertThat(sent).startsWith(0, 0, 0, 0, 0, ULPDU.length);
    MpaEndpoint without = MpaEndpoint.initiating(MpaSettings.DEFAULTS, C);
    without.send(ULPDU);
    assertThat(without.stream.takeSent()).startsWith(0, ULPDU.length);
  }

  @Test
  @Tag("ANA-8.2.4.3-02")
  @Tag("ANA-8.2.4.3-03")
  void aPlainDnsServerShouldFindTheQueryAndItsAnswerBeRefused() {
    ForeignOpening dns =
        openings().stream().filter(each -> each.protocol().startsWith("DNS on")).findAny().get();
    byte[] query = Arrays.copyOfRange(dns.client(), 2, dns.client().length);
    MpaEndpoint resolver = MpaEndpoint.initiating(MARKERS, C | M);
    resolver.send(query);
    List<byte[]> messages = new ArrayList<>();
    int unread = readDns(resolver.stream.takeSent(), messages);
    assertThat(messages.subList(0, 3)).containsExactly(NONE, NONE, query);
    assertThat(messages.size() - 3 + unread).as("pad and CRC do no harm").isPositive();

    byte[] answer = PeerOctets.join(new byte[] {0, 45}, query, new byte[16]);
    resolver.stream.receive(answer);
    resolver.stream.peerCloses();
    assertThat(resolver.handler.ulpdus).isEmpty();
    assertThat(resolver.handler.error).isNotNull();
  }

  /** Reads messages with their length in front; returns the octets that are not one any more. */
  private static int readDns(byte[] stream, List<byte[]> messages) {
    int at = 0;
    while (at + 2 <= stream.length) {
      int length = (stream[at] & 0xff) << 8 | (stream[at + 1] & 0xff);
      if (at + 2 + length > stream.length) {
        break;
      }
      messages.add(Arrays.copyOfRange(stream, at + 2, at + 2 + length));
      at += 2 + length;
    }
    return stream.length - at;
  }

  @ParameterizedTest
  @CsvSource({"-1, 0", "1, 0", "-1, 1", "5, 1"})
  @Tag("ANA-8-01")
  @Tag("MPA-7.1-01")
  void startingAtAnotherPlaceThanThePeerShouldBeNoticed(int off, int side) {
    // One end takes MPA to begin elsewhere than the other: the Key is not where it should be.
    byte[] frame = side == 0 ? PeerOctets.request(C, NONE) : PeerOctets.reply(C, NONE);
    byte[] seen =
        off < 0
            ? Arrays.copyOfRange(frame, -off, frame.length)
            : PeerOctets.join(new byte[off], frame);
    MpaEndpoint end = side == 0 ? responder() : initiator();
    end.stream.receive(seen);
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.detail).contains("Key octet 0");
  }

  @Test
  @Tag("ANA-8.1-01")
  void twoEndsOfMpaShouldFindEachOther() {
    MpaEndpoint first = initiator();
    MpaEndpoint second = responder();
    second.handler.uponRequest = () -> second.startup.accept(NONE);
    second.stream.receive(first.stream.takeSent());
    first.stream.receive(second.stream.takeSent());
    first.send(ULPDU);
    second.stream.receive(first.stream.takeSent());
    assertThat(second.handler.ulpdus).containsExactly(ULPDU);
  }
}
