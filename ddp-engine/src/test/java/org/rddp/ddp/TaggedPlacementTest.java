package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.tagged;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

  @Test
  @Tag("DDP-7.1-11")
  @Tag("DDP-4.2-04")
  @Tag("DDP-1.2-02")
  @Tag("DDP-7.1-16")
  @Tag("DDP-7.1-17")
  @Tag("DDP-7.1-18")
  @Tag("DDP-8.3-05")
  @Tag("DDP-6.2-01")
  @Tag("DDP-6.2.2-01")
  @Tag("DDP-6.2.2-04")
  void shouldRefuseAnUnknownStag() {
    assertRefused(DdpError.INVALID_STAG, tagged(LAST, stag + 1, BASE, "01"));
  }

  @Test
  void shouldRefuseStagZero() {
    assertRefused(DdpError.INVALID_STAG, tagged(LAST, 0, BASE, "01"));
  }

  @Test
  @Tag("DDP-8.3-01")
  @Tag("DDP-8.3-02")
  @Tag("DDP-8.3.1-02")
  @Tag("DDP-8.3.1-04")
  @Tag("DDP-7.1-12")
  void shouldRefuseARevokedStag() {
    int revoked = register(ddp.domain, null, AccessRights.REMOTE_WRITE);
    assertThat(ddp.receive(tagged(MORE, revoked, BASE, "01"))).isEmpty();
    model[0] = 1;
    ddp.engine.taggedBuffers().invalidate(revoked);
    assertRefused(DdpError.INVALID_STAG, tagged(LAST, revoked, BASE + 1, "02"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, AccessRights.LOCAL_WRITE, AccessRights.REMOTE_READ})
  @Tag("DDP-7.1-12")
  @Tag("DDP-8.3.1-03")
  void shouldRefuseWhatTheRightsDoNotAllow(int rights) {
    int other = register(ddp.domain, null, rights);
    assertRefused(DdpError.INVALID_STAG, tagged(LAST, other, BASE, "01"));
  }

  @Test
  @Tag("DDP-7.2-03")
  @Tag("DDP-7.1-11")
  @Tag("DDP-8.2-01")
  @Tag("DDP-8.2-04")
  void shouldRefuseAnStagOfAnotherProtectionDomain() {
    int foreign = register(new ProtectionDomain("theirs"), null, AccessRights.REMOTE_WRITE);
    assertRefused(DdpError.STAG_NOT_ASSOCIATED, tagged(LAST, foreign, BASE, "01"));
  }

  @Test
  @Tag("DDP-7.2-03")
  @Tag("DDP-8.2-02")
  @Tag("DDP-8.2-04")
  @Tag("DDP-8.3-03")
  void shouldRefuseAnStagOfAnotherStream() {
    DdpStream another = DdpFixture.receiving(1).stream;
    int foreign = register(ddp.domain, another, AccessRights.REMOTE_WRITE);
    assertRefused(DdpError.STAG_NOT_ASSOCIATED, tagged(LAST, foreign, BASE, "01"));
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
  @Tag("DDP-8.2-04")
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
  @ValueSource(longs = {-1, LENGTH, LENGTH + 1, Long.MIN_VALUE, -BASE})
  @Tag("DDP-7.1-13")
  @Tag("DDP-8.1-01")
  @Tag("DDP-8.3.1-01")
  void shouldRefuseAnOffsetOutsideTheRange(long offset) {
    assertRefused(DdpError.BASE_OR_BOUNDS, tagged(LAST, stag, BASE + offset, "01"));
  }

  @Test
  @Tag("DDP-7.1-14")
  void shouldRefuseAnEndOneOctetTooFar() {
    assertRefused(DdpError.BASE_OR_BOUNDS, tagged(LAST, stag, BASE, octets(LENGTH + 1, 1)));
  }

  @Test
  @Tag("DDP-7.1-13")
  void shouldRefuseASegmentThatBeginsOneOctetTooEarly() {
    assertRefused(DdpError.BASE_OR_BOUNDS, tagged(LAST, stag, BASE - 1, octets(2, 1)));
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 16})
  @Tag("DDP-7.1-15")
  void shouldRefuseAnOffsetThatWraps(int octets) {
    int high = register(ddp.domain, null, -1L - LENGTH, AccessRights.REMOTE_WRITE);
    assertRefused(DdpError.TO_WRAP, tagged(LAST, high, -8, octets(octets, 1)));
  }

  @Test
  @Tag("DDP-7.1-15")
  void shouldRefuseAWrapIntoTheRange() {
    int low = register(ddp.domain, null, 0, AccessRights.REMOTE_WRITE);
    assertRefused(DdpError.TO_WRAP, tagged(LAST, low, -2, octets(4, 1)));
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
