package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

class TerminateTest {
  private static final byte[] NONE = {};

  /** The length and the header of a segment. */
  private static final String HEADER = "0012414300000000000000000000000100000000";

  private static Ulpdu ulpdu(String hex) {
    byte[] octets = HexFormat.of().parseHex(hex.replace(" ", ""));
    long address = Memory.allocate(octets.length);
    Memory.copy(octets, 0, address, octets.length);
    return Ulpdu.of(0, address, octets.length);
  }

  private static ByteBuffer all(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  private static ByteBuffer first(String hex, int octets) {
    return all(hex).limit(octets);
  }

  private static String hex(byte[] octets) {
    return HexFormat.of().formatHex(octets);
  }

  @Test
  void shouldNameAnErrorWithoutASegment() {
    assertThat(hex(Terminate.encode(2, 0, 2, null, NONE))).isEqualTo("20020000");
  }

  @Test
  @Tag("RDMAP-4.8-02")
  void shouldQuoteTheHeaderOfTheSegment() {
    DdpErrorReport tagged = DdpErrorReport.of(ulpdu("c140 deadbeef 0000000000000007 0102"));
    assertThat(hex(Terminate.encode(1, 1, 0, tagged, NONE)))
        .isEqualTo("1100" + "c000" + "0010" + "c140" + "deadbeef" + "0000000000000007");
    DdpErrorReport untagged = DdpErrorReport.of(ulpdu("4143 00000000 00000000 00000001 00000000"));
    assertThat(hex(Terminate.encode(1, 2, 3, untagged, NONE)))
        .isEqualTo("1203" + "c000" + "0012" + "414300000000000000000000000100000000");
  }

  @Test
  @Tag("RDMAP-4.8-02")
  void shouldQuoteAReadRequest() {
    String header = "4141" + "00000000" + "00000001" + "00000001" + "00000000";
    String request = "00000001" + "0000000000000002" + "00000003" + "00000004" + "0000000000000005";
    DdpErrorReport report = DdpErrorReport.of(ulpdu(header + request));
    byte[] terminate = Terminate.encode(0, 1, 2, report, HexFormat.of().parseHex(request));
    assertThat(hex(terminate)).isEqualTo("0102" + "e000" + "002e" + header + request);
    assertThat(terminate).hasSize(Terminate.MAX_LENGTH);
  }

  /** Whatever made this end notice it, a local catastrophic error is told without a segment. */
  @ParameterizedTest
  @ValueSource(ints = {RdmapHandler.LAYER_RDMAP, RdmapHandler.LAYER_DDP})
  @Tag("RDMAP-4.8-05")
  void shouldQuoteNothingForALocalCatastrophicError(int layer) {
    DdpErrorReport report = DdpErrorReport.of(ulpdu("c140 deadbeef 0000000000000007 0102"));
    assertThat(hex(Terminate.encode(layer, 0, 0, report, NONE)))
        .isEqualTo("%x0000000".formatted(layer));
  }

  /** Those of Figure 9, of RFC 5041 section 7.2, and of RFC 5044 section 8 with RFC 6581's. */
  @Test
  @Tag("RDMAP-4.8-04")
  void shouldKnowNoErrorsButThoseOfTheRfcs() {
    assertThat(RdmapError.values())
        .extracting(error -> "%d/%02x".formatted(error.type(), error.code()))
        .isSubsetOf(
            "0/00", "1/00", "1/01", "1/02", "1/03", "1/04", "1/09", "1/ff", "2/05", "2/06", "2/07",
            "2/08", "2/09", "2/ff");
    assertThat(DdpError.values())
        .extracting(error -> "%d/%02x".formatted(error.type(), error.code()))
        .isSubsetOf(
            "0/00", "1/00", "1/01", "1/02", "1/03", "1/04", "2/01", "2/02", "2/03", "2/04", "2/05",
            "2/06");
    assertThat(MpaError.values()).extracting(MpaError::code).isSubsetOf(1, 2, 3, 4, 5, 6, 7);
  }

  @Test
  void shouldNotQuoteHalfAHeader() {
    DdpErrorReport report = DdpErrorReport.of(ulpdu("c140 dead"));
    assertThat(hex(Terminate.encode(1, 0, 0, report, NONE))).isEqualTo("10000000");
  }

  /** Some with the nibbles as the RFC has them, some as Linux's siw was seen to send them. */
  @ParameterizedTest
  @CsvSource({
    "20020000, '', 2, 0, 2",
    "02020000, '', 2, 0, 2",
    "11000300, header, 1, 1, 0",
    "1100c000, header, 1, 1, 0",
    "21030300, header, 1, 2, 3",
    "1203c000, header, 1, 2, 3",
    "21060000, '', 1, 2, 6",
    "12060000, '', 1, 2, 6",
    "02060000, '', 0, 2, 6",
    "02064000, header, 0, 2, 6",
    "20060300, header, 0, 2, 6",
    "2006c000, header, 2, 0, 6",
    "01020000, '', 0, 1, 2",
    "10020300, header, 0, 1, 2",
    "02050000, '', 0, 2, 5",
    "00000000, '', 0, 0, 0",
    "005a0000, '', 0, 0, 90",
    "99990000, '', 9, 9, 153"
  })
  @Tag("RDMAP-4.8-03")
  void shouldReadTheErrorInEitherOrderOfNibbles(
      String control, String rest, int layer, int type, int code) {
    String octets = control + (rest.isEmpty() ? "" : HEADER);
    assertThat(Terminate.wellFormed(all(octets))).isTrue();
    Terminate terminate = Terminate.read(all(octets));
    assertThat(new int[] {terminate.layer(), terminate.type(), terminate.code()})
        .containsExactly(layer, type, code);
  }

  /** 2/0/6 and 0/2/6 both exist; each of the 13 bits behind M, D and R is set, and all of them. */
  @Test
  @Tag("RDMAP-4.8-06")
  void shouldNotLookAtReservedBits() {
    for (int bits = 1; bits <= 0x1fff; bits = bits == 0x1000 ? 0x1fff : 2 * bits) {
      assertReads("2006%04x".formatted(bits));
      assertReads("2006%04x".formatted(0xc000 | bits) + HEADER);
    }
  }

  private static void assertReads(String octets) {
    assertThat(Terminate.wellFormed(all(octets))).as(octets).isTrue();
    Terminate terminate = Terminate.read(all(octets));
    assertThat(terminate.description()).as(octets).isEqualTo("an error of MPA (2/0/06)");
  }

  @ParameterizedTest
  @CsvSource({
    "1100c000000a, 0",
    "1100c000000ac140deadbeef0000000000000000, -1",
    "1203c0000012414300000000000000000000000100000000, -1",
    "0102e000002e414100000000000000010000000100000000, 0",
    "0102e000002e414100000000000000010000000100000000, 27"
  })
  @Tag("RDMAP-4.2-01")
  @Tag("RDMAP-5.4-05")
  void shouldNotTakeFewerHeadersThanAreAnnounced(String octets, int more) {
    String whole = octets + "00".repeat(Math.max(more, 0));
    assertThat(Terminate.wellFormed(first(whole, octets.length() / 2 + more))).isFalse();
  }

  /** The second as Linux's siw sends it. */
  @ParameterizedTest
  @CsvSource({
    "0102e000, 4141, 00000001, REQUEST",
    "10020700, 4141, 00000001, REQUEST",
    "0102c000, 4143, 00000000, SEND",
    "0102c000, 4147, 00000002, NOTHING",
    "0102e000, c141, 00000001, NOTHING",
    "01022000, 4141, 00000001, NOTHING",
    "01020000, 4141, 00000001, NOTHING"
  })
  void shouldFindTheMessageThatItNames(
      String control, String ddp, String qn, Terminate.Named named) {
    String segment = "%s002e %s00000000 %s 00000005 00000000".formatted(control, ddp, qn);
    Terminate terminate = Terminate.read(first(segment, 24));
    assertThat(terminate.named()).isEqualTo(named);
    if (named != Terminate.Named.NOTHING) {
      assertThat(terminate.msn()).isEqualTo(5);
    }
    assertThat(terminate.requestStatus()).isEqualTo(RdmapCompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(Terminate.read(first(segment, 23)).named()).isEqualTo(Terminate.Named.NOTHING);
  }

  @Test
  void shouldFindTheWriteThatItNames() {
    Terminate terminate = Terminate.read(first("1101c000 002e c140 0000cafe 0000000000000abc", 20));
    assertThat(terminate.named()).isEqualTo(Terminate.Named.WRITE);
    assertThat(terminate.stag()).isEqualTo(0xcafe);
    assertThat(terminate.to()).isEqualTo(0xabc);
    assertThat(terminate.requestStatus()).isEqualTo(RdmapCompletionStatus.REMOTE_ACCESS_ERROR);
  }

  @Test
  void shouldNotTakeTheAnswerToAReadForAWrite() {
    String octets = "1101c000 002e c142 0000cafe 0000000000000abc";
    assertThat(Terminate.read(first(octets, 20)).named()).isEqualTo(Terminate.Named.NOTHING);
  }

  @ParameterizedTest
  @CsvSource({
    "01000000, invalid STag (0/1/00)",
    "11010000, DDP: base or bounds (1/1/01)",
    "20020000, an error of MPA (2/0/02)",
    "0177c000, an error of RDMAP (0/1/77)",
    "9999c000, an error of a layer that does not exist (9/9/99)"
  })
  void shouldSayWhichErrorItIs(String octets, String words) {
    assertThat(Terminate.read(all(octets)).description()).isEqualToIgnoringCase(words);
  }
}
