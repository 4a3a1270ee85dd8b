package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.tagged;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.segment.DdpError;

/** What DDP does with tagged segments, good and bad (RFC 5041 section 7.1). */
class TaggedPlacementTest {
  private static final int LAST = 0xc1;
  private static final int MORE = 0x81;
  private static final long BASE = 0x1000_0000_0000L;
  private static final int LENGTH = 256;

  private final DdpFixture ddp = DdpFixture.receiving(4);
  private final GuardedMemory memory = new GuardedMemory(LENGTH);
  private final byte[] model = new byte[LENGTH];
  private final int stag = register(ddp.domain, null, AccessRights.REMOTE_WRITE);

  TaggedPlacementTest() {
    Arrays.fill(model, GuardedMemory.POISON);
  }

  private int register(ProtectionDomain domain, DdpStream stream, int rights) {
    return register(domain, stream, BASE, rights);
  }

  private int register(ProtectionDomain domain, DdpStream stream, long baseTo, int rights) {
    return ddp.engine
        .taggedBuffers()
        .register(domain, stream, memory.address(), LENGTH, baseTo, rights);
  }

  private void assertRefused(DdpError error, String segment) {
    assertThat(ddp.receive(segment)).containsExactly("error " + error);
    assertThat(ddp.ulp.report.header())
        .isEqualTo(HexFormat.of().parseHex(segment.substring(0, 28)));
    assertThat(ddp.ulp.report.segmentLength()).isEqualTo(segment.length() / 2);
    memory.assertHolds(model);

    String good = tagged(LAST, stag, BASE, octets(4, 1));
    assertThat(ddp.receive(good, good)).as("dropped silently").isEmpty();
    memory.assertHolds(model);
    assertThat(ddp.engine.receiveCounters().segmentsRefused).isEqualTo(1);
    assertThat(ddp.engine.receiveCounters().segmentsDropped).isEqualTo(2);
    assertThat(ddp.peer.events()).as("the stream stays").containsExactly("full operation");
  }

  private void assertDelivered(String segment) {
    assertThat(ddp.receive(segment)).singleElement().asString().startsWith("tagged 40 ");
  }

  @Test
  @Tag("DDP-4.1-02")
  @Tag("DDP-4.2-03")
  @Tag("DDP-4.2-06")
  @Tag("DDP-5.2-04")
  void shouldPlaceAndDeliver() {
    assertThat(ddp.receive(tagged(LAST, stag, BASE + 10, "0102030405")))
        .containsExactly("tagged 40 stag %08x to %d octets 5".formatted(stag, BASE + 10));
    System.arraycopy(new byte[] {1, 2, 3, 4, 5}, 0, model, 10, 5);
    memory.assertHolds(model);
  }

  @Test
  @Tag("DDP-5.4-02")
  @Tag("DDP-3-04")
  void shouldDeliverWithTheLastSegmentOnly() {
    assertThat(ddp.receive(tagged(MORE, stag, BASE, octets(100, 1)))).isEmpty();
    assertThat(ddp.receive(tagged(MORE, stag, BASE + 100, octets(100, 2)))).isEmpty();
    assertDelivered(tagged(LAST, stag, BASE + 200, octets(56, 3)));
    Arrays.fill(model, 0, 100, (byte) 1);
    Arrays.fill(model, 100, 200, (byte) 2);
    Arrays.fill(model, 200, 256, (byte) 3);
    memory.assertHolds(model);
  }

  @Test
  @Tag("DDP-5.2-13")
  void shouldNotMindAGapInATaggedMessage() {
    assertThat(ddp.receive(tagged(MORE, stag, BASE, octets(1, 1)))).isEmpty();
    assertDelivered(tagged(LAST, stag, BASE + 100, octets(1, 2)));
    model[0] = 1;
    model[100] = 2;
    memory.assertHolds(model);
  }

  @Test
  @Tag("DDP-4.1-07")
  void shouldNotLookAtReservedBits() {
    assertDelivered(tagged(LAST | 0x3c, stag, BASE, "01"));
  }

  @Test
  @Tag("DDP-5.2-10")
  @Tag("DDP-5.2-12")
  @Tag("DDP-4.4-01")
  void shouldNotCheckWhereAnEmptyMessageGoes() {
    assertThat(ddp.receive(tagged(LAST, 0xdeadbeef, -1, "")))
        .containsExactly("tagged 40 stag deadbeef to 18446744073709551615 octets 0");
    memory.assertUntouched();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INVALID_STAG        | unknown        |              0    |   1 | DDP-7.1-11 DDP-4.2-04 DDP-1.2-02 DDP-8.3-05
          INVALID_STAG        | zero           |              0    |   1 | DDP-6.2.2-01 DDP-6.2.2-04
          INVALID_STAG        | no rights      |              0    |   1 | DDP-7.1-12 DDP-8.3.1-03
          INVALID_STAG        | local write    |              0    |   1 | DDP-7.1-12 DDP-8.3.1-03
          INVALID_STAG        | remote read    |              0    |   1 | DDP-7.1-12 DDP-8.3.1-03
          STAG_NOT_ASSOCIATED | another domain |              0    |   1 | DDP-7.2-03 DDP-7.1-11 DDP-8.2-01 DDP-8.2-04
          STAG_NOT_ASSOCIATED | another stream |              0    |   1 | DDP-7.2-03 DDP-8.2-02 DDP-8.2-04 DDP-8.3-03
          BASE_OR_BOUNDS      | ours           |             -1    |   1 | DDP-7.1-13 DDP-8.1-01 DDP-8.3.1-01
          BASE_OR_BOUNDS      | ours           |             -1    |   2 | DDP-7.1-13
          BASE_OR_BOUNDS      | ours           |            256    |   1 | DDP-7.1-13 DDP-8.1-01 DDP-8.3.1-01
          BASE_OR_BOUNDS      | ours           |            257    |   1 | DDP-7.1-13 DDP-8.1-01 DDP-8.3.1-01
          BASE_OR_BOUNDS      | ours           | -9223372036854775808 | 1 | DDP-7.1-13 DDP-8.1-01 DDP-8.3.1-01
          BASE_OR_BOUNDS      | ours           | -17592186044416   |   1 | DDP-7.1-13 DDP-8.1-01 DDP-8.3.1-01
          BASE_OR_BOUNDS      | ours           |              0    | 257 | DDP-7.1-14
          TO_WRAP             | to the end     |            249    |   8 | DDP-7.1-15
          TO_WRAP             | to the end     |            249    |   9 | DDP-7.1-15
          TO_WRAP             | to the end     |            249    |  16 | DDP-7.1-15
          TO_WRAP             | from 0         |             -2    |   4 | DDP-7.1-15
          """)
  @Tag("DDP-7.1-16")
  @Tag("DDP-7.1-17")
  @Tag("DDP-7.1-18")
  @Tag("DDP-6.2-01")
  void shouldRefuse(DdpError error, String which, long offset, int octets, String clauses) {
    long base =
        switch (which) {
          case "to the end" -> -1L - LENGTH;
          case "from 0" -> 0;
          default -> BASE;
        };
    int rights =
        switch (which) {
          case "no rights" -> 0;
          case "local write" -> AccessRights.LOCAL_WRITE;
          case "remote read" -> AccessRights.REMOTE_READ;
          default -> AccessRights.REMOTE_WRITE;
        };
    ProtectionDomain domain =
        which.equals("another domain") ? new ProtectionDomain("theirs") : ddp.domain;
    DdpStream stream = which.equals("another stream") ? DdpFixture.receiving(1).stream : null;
    int registered = register(domain, stream, base, rights);
    int named =
        switch (which) {
          case "unknown" -> registered + 1;
          case "zero" -> 0;
          default -> registered;
        };
    assertRefused(error, tagged(LAST, named, base + offset, octets(octets, 1)));
  }

  @Test
  @Tag("DDP-8.3-01")
  @Tag("DDP-8.3-02")
  @Tag("DDP-8.3.1-02")
  @Tag("DDP-8.3.1-04")
  void shouldRefuseARevokedStag() {
    int revoked = register(ddp.domain, null, AccessRights.REMOTE_WRITE);
    assertThat(ddp.receive(tagged(MORE, revoked, BASE, "01"))).isEmpty();
    model[0] = 1;
    ddp.engine.taggedBuffers().invalidate(revoked);
    assertRefused(DdpError.INVALID_STAG, tagged(LAST, revoked, BASE + 1, "02"));
  }

  @Test
  @Tag("DDP-8.2-04")
  @Tag("DDP-8.3-03")
  void shouldTakeAnStagOfThisStream() {
    int own = register(ddp.domain, ddp.stream, AccessRights.REMOTE_WRITE);
    assertDelivered(tagged(LAST, own, BASE, "01"));
  }

  @Test
  @Tag("DDP-7.1-13")
  @Tag("DDP-7.1-14")
  @Tag("DDP-8.1-01")
  @Tag("DDP-8.3.1-01")
  void shouldTakeTheWholeRangeToTheOctet() {
    assertDelivered(tagged(LAST, stag, BASE, octets(LENGTH, 7)));
    assertDelivered(tagged(LAST, stag, BASE, "01"));
    assertDelivered(tagged(LAST, stag, BASE + LENGTH - 1, "02"));
    Arrays.fill(model, (byte) 7);
    model[0] = 1;
    model[LENGTH - 1] = 2;
    memory.assertHolds(model);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  @Tag("DDP-7.2-04")
  @Tag("DDP-4.1-09")
  void shouldRefuseAnotherVersion(int version) {
    assertDelivered(tagged(LAST, stag, BASE, "01"));
    model[0] = 1;
    assertRefused(DdpError.TAGGED_VERSION, tagged(0xc0 | version, stag, BASE, "02"));
  }

  @Test
  @Tag("DDP-7.2-04")
  void shouldLookAtTheVersionFirst() {
    assertRefused(DdpError.TAGGED_VERSION, tagged(0xc2, 0, 0, ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"c1", "c140", "c1400000000000000000000000"})
  @Tag("DDP-7.2-02")
  @Tag("DDP-4.4-01")
  void shouldRefuseASegmentShorterThanItsHeader(String segment) {
    assertThat(ddp.receive(segment)).containsExactly("error LOCAL_CATASTROPHIC");
    assertThat(ddp.ulp.report.header()).isEqualTo(HexFormat.of().parseHex(segment));
    memory.assertUntouched();
  }

  @Test
  void shouldPlaceNothingThatTheUserRefuses() {
    ddp.ulp.refusedRsvdUlp = 0x40;
    assertThat(ddp.receive(tagged(LAST, stag, BASE, "01"))).containsExactly("refused");
    assertThat(ddp.receive(tagged(LAST, stag, BASE, "01"))).isEmpty();
    memory.assertUntouched();
  }

  /**
   * Every octet behind ULPDU_Length, which says itself where the FPDU ends: header, payload, CRC.
   */
  @Test
  @Tag("DDP-3-07")
  @Tag("MPAB-2.1-01")
  void shouldPlaceNothingOfASegmentThatWasCorruptedOnItsWay() {
    String segment = tagged(LAST, stag, BASE, octets(20, 1));
    int fpdu = 2 + segment.length() / 2 + 4;
    for (int octet = 2; octet < fpdu; octet++) {
      DdpFixture other = DdpFixture.receiving(1);
      int name =
          other
              .engine
              .taggedBuffers()
              .register(
                  other.domain, null, memory.address(), LENGTH, BASE, AccessRights.REMOTE_WRITE);
      other.tcp.corrupt(octet, octet % 8);
      assertThat(other.receive(tagged(LAST, name, BASE, octets(20, 1))))
          .as("octet %d", octet)
          .containsExactly("llp error CRC");
    }
    memory.assertHolds(model);
  }
}
