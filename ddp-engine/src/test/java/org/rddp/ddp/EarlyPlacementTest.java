package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.tagged;
import static org.rddp.ddp.DdpFixture.untagged;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.receiving.EarlySegmentHeaders;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.wire.Memory;

/**
 * Segments received out of order: placed at once, Delivered in order (RFC 5041 sections 5.3, 5.4).
 */
class EarlyPlacementTest {
  private static final int LENGTH = 100;
  private static final int LAST = 0x41;
  private static final int MORE = 0x01;
  private static final int TAGGED_LAST = 0xc1;

  private final DdpFixture ddp =
      DdpFixture.receiving(
          QueueSettings.buffered(4), QueueSettings.inPlace(4, 40), QueueSettings.buffered(4));
  private final GuardedMemory first = new GuardedMemory(LENGTH);
  private final GuardedMemory second = new GuardedMemory(LENGTH);
  private final GuardedMemory region = new GuardedMemory(LENGTH);
  private final int stag = register(ddp.domain, AccessRights.REMOTE_WRITE);
  private final MemorySegment scratch = Arena.ofAuto().allocate(4096);

  EarlyPlacementTest() {
    ddp.stream.postReceive(0, new StreamRequest(11).memory(first.address(), LENGTH));
    ddp.stream.postReceive(0, new StreamRequest(12).memory(second.address(), LENGTH));
    ddp.ulp.early = AccessRights.REMOTE_WRITE;
  }

  private int register(ProtectionDomain domain, int rights) {
    return ddp.engine.taggedBuffers().register(domain, null, region.address(), LENGTH, 0, rights);
  }

  private Ulpdu ulpdu(long position, String hex) {
    byte[] octets = HexFormat.of().parseHex(hex);
    Memory.copy(octets, 0, scratch.address(), octets.length);
    return Ulpdu.of(position, scratch.address(), octets.length);
  }

  /** Receives a segment out of order; returns whether it is taken. */
  private boolean early(long position, String hex) {
    boolean taken = ddp.stream.onEarlyUlpdu(ulpdu(position, hex));
    assertThat(ddp.ulp.events()).as("nothing is Delivered early").isEmpty();
    return taken;
  }

  /** Receives a segment in order. */
  private void inTurn(long position, String hex) {
    ddp.stream.onUlpdu(ulpdu(position, hex));
  }

  private void delivered(long position) {
    ddp.stream.onDelivered(position);
  }

  private static byte[] filled(int from, int to, int value) {
    byte[] model = new byte[LENGTH];
    Arrays.fill(model, GuardedMemory.POISON);
    Arrays.fill(model, from, to, (byte) value);
    return model;
  }

  @Test
  @Tag("DDP-3-05") // out of order to DDP
  @Tag("DDP-3-06") // with the sender's order
  @Tag("DDP-5.3-03") // placed out of order
  @Tag("DDP-5.4-02") // Delivered when all before it is
  @Tag("RDMAP-5.5-05") // placed before the Send
  void shouldPlaceATaggedSegmentAtOnceAndDeliverItInItsTurn() {
    assertThat(early(200, tagged(TAGGED_LAST, stag, 50, octets(20, 7)))).isTrue();
    region.assertHolds(filled(50, 70, 7));
    inTurn(100, tagged(TAGGED_LAST, stag, 0, ""));
    assertThat(ddp.ulp.events())
        .containsExactly("tagged 40 stag %08x to 0 octets 0".formatted(stag));
    delivered(200);
    assertThat(ddp.ulp.events()).as("the segment at 200 is not before 200").isEmpty();
    delivered(201);
    assertThat(ddp.ulp.events())
        .containsExactly("tagged 40 stag %08x to 50 octets 20".formatted(stag));
    assertThat(ddp.engine.receiveCounters().segmentsPlacedEarly).isOne();
    assertThat(ddp.engine.receiveCounters().segmentsPlaced).isEqualTo(2);
  }

  @Test
  @Tag("DDP-3-06") // with the sender's order
  @Tag("DDP-5.3-03") // placed out of order
  @Tag("DDP-5.3-06") // Delivered in order
  @Tag("DDP-5.4-02") // Delivered when all before it is
  @Tag("D03-5.1.2-04") // in order to the user
  @Tag("RDMAP-5.5-10") // Sends after what precedes them
  void shouldDeliverUntaggedMessagesInTheOrderOfTheSender() {
    assertThat(early(300, untagged(LAST, 0, 2, 0, octets(5, 2)))).isTrue();
    assertThat(early(200, untagged(LAST, 0, 1, 60, octets(30, 1)))).isTrue();
    second.assertHolds(filled(0, 5, 2));
    first.assertHolds(filled(60, 90, 1));
    inTurn(100, untagged(MORE, 0, 1, 0, octets(60, 1)));
    assertThat(ddp.ulp.events()).isEmpty();
    delivered(400);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "untagged 4300000000 qn 0 msn 1 id 11 octets 90",
            "untagged 4300000000 qn 0 msn 2 id 12 octets 5");
    first.assertHolds(filled(0, 90, 1));
  }

  /** The whole second message is there; the first, on another queue, is not. */
  @Test
  @Tag("DDP-5.4-02")
  @Tag("DDP-5.3-06")
  void shouldNotDeliverBeforeAMessageOfAnotherQueue() {
    GuardedMemory other = new GuardedMemory(LENGTH);
    ddp.stream.postReceive(2, new StreamRequest(21).memory(other.address(), LENGTH));
    assertThat(early(200, untagged(LAST, 2, 1, 0, octets(5, 3)))).isTrue();
    inTurn(100, untagged(LAST, 0, 1, 0, "01"));
    delivered(300);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "untagged 4300000000 qn 0 msn 1 id 11 octets 1",
            "untagged 4300000000 qn 2 msn 1 id 21 octets 5");
  }

  /** They are received from the last to the first, and all take effect at once. */
  @Test
  @Tag("DDP-3-06")
  @Tag("DDP-5.4-02")
  void shouldKnowTheOrderOfTheSenderAmongMessagesOfAllKinds() {
    GuardedMemory other = new GuardedMemory(LENGTH);
    ddp.stream.postReceive(2, new StreamRequest(21).memory(other.address(), LENGTH));
    assertThat(early(500, tagged(TAGGED_LAST, stag, 5, "05"))).isTrue();
    assertThat(early(400, untagged(LAST, 0, 1, 0, "04"))).isTrue();
    assertThat(early(300, untagged(LAST, 2, 1, 0, "03"))).isTrue();
    assertThat(early(200, tagged(TAGGED_LAST, stag, 2, "02"))).isTrue();
    inTurn(100, tagged(TAGGED_LAST, stag, 1, "01"));
    delivered(600);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "tagged 40 stag %08x to 1 octets 1".formatted(stag),
            "tagged 40 stag %08x to 2 octets 1".formatted(stag),
            "untagged 4300000000 qn 2 msn 1 id 21 octets 1",
            "untagged 4300000000 qn 0 msn 1 id 11 octets 1",
            "tagged 40 stag %08x to 5 octets 1".formatted(stag));
  }

  @Test
  void shouldDeliverGapByGap() {
    assertThat(early(400, tagged(TAGGED_LAST, stag, 3, "04"))).isTrue();
    assertThat(early(200, tagged(TAGGED_LAST, stag, 1, "02"))).isTrue();
    inTurn(100, tagged(TAGGED_LAST, stag, 0, "01"));
    delivered(250);
    assertThat(ddp.ulp.events()).hasSize(2);
    inTurn(300, tagged(TAGGED_LAST, stag, 2, "03"));
    delivered(450);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "tagged 40 stag %08x to 2 octets 1".formatted(stag),
            "tagged 40 stag %08x to 3 octets 1".formatted(stag));
  }

  /** The reason to decline it may be gone, or may first arise, when it is taken in order. */
  @Test
  @Tag("DDP-8.1-01")
  void shouldDeclineWhatIsWrongAndRefuseItInItsTurn() {
    String[] bad = {
      "",
      "41",
      tagged(0xc2, stag, 0, "01"),
      tagged(TAGGED_LAST, stag ^ 1, 0, "01"),
      tagged(TAGGED_LAST, stag, 100, "01"),
      tagged(TAGGED_LAST, stag, -1, "0102"),
      tagged(TAGGED_LAST, register(new ProtectionDomain("another"), AccessRights.ALL), 0, "01"),
      tagged(TAGGED_LAST, register(ddp.domain, AccessRights.REMOTE_READ), 0, "01"),
      untagged(0x42, 0, 1, 0, "01"),
      untagged(LAST, 9, 1, 0, "01"),
      untagged(LAST, 0, 3, 0, "01"),
      untagged(LAST, 0, 0, 0, "01"),
      untagged(LAST, 0, 1, 100, "01"),
      untagged(LAST, 0, 1, 99, "0102"),
      untagged(LAST, 1, 1, 0, "01"),
      untagged(LAST, 2, 1, 0, "01"),
    };
    for (String segment : bad) {
      assertThat(early(200, segment)).as(segment).isFalse();
    }
    region.assertUntouched();
    first.assertUntouched();
    second.assertUntouched();
    inTurn(100, tagged(TAGGED_LAST, stag, 0, ""));
    assertThat(ddp.ulp.events())
        .containsExactly("tagged 40 stag %08x to 0 octets 0".formatted(stag));
    inTurn(200, bad[3]);
    assertThat(ddp.ulp.events()).endsWith("error INVALID_STAG");
  }

  @Test
  void shouldDeclineWhatTheUserDeclines() {
    ddp.ulp.early = UlpHandler.REFUSED;
    assertThat(early(200, tagged(TAGGED_LAST, stag, 0, "01"))).isFalse();
    ddp.ulp.refusedRsvdUlp = 0x43;
    assertThat(early(200, untagged(LAST, 0, 1, 0, "01"))).isFalse();
    region.assertUntouched();
    first.assertUntouched();
  }

  /** A buffer posted before the segment is taken in order is used. */
  @Test
  @Tag("DDP-7.1-04")
  void shouldTakeInItsTurnWhatFoundNoBufferBefore() {
    assertThat(early(300, untagged(LAST, 0, 3, 0, "03"))).isFalse();
    GuardedMemory third = new GuardedMemory(LENGTH);
    ddp.stream.postReceive(0, new StreamRequest(13).memory(third.address(), LENGTH));
    inTurn(100, untagged(LAST, 0, 1, 0, "01"));
    inTurn(200, untagged(LAST, 0, 2, 0, "02"));
    inTurn(300, untagged(LAST, 0, 3, 0, "03"));
    assertThat(ddp.ulp.events()).hasSize(3).last().asString().contains("id 13");
  }

  /** In order, the sender ends the message before the segment received early. */
  @Test
  @Tag("DDP-5.3-05")
  void shouldDeliverAMessageOnceThoughMoreOfItCameEarly() {
    assertThat(early(200, untagged(LAST, 0, 1, 50, octets(10, 9)))).isTrue();
    inTurn(100, untagged(LAST, 0, 1, 0, "01"));
    assertThat(ddp.ulp.events()).containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 1");
    delivered(300);
    assertThat(ddp.ulp.events()).containsExactly("receive flushed qn 0 id 12", "error MSN_RANGE");
    assertThat(ddp.ulp.report.segmentLength()).isEqualTo(28);
    assertThat(ddp.ulp.report.header())
        .isEqualTo(HexFormat.of().parseHex(untagged(LAST, 0, 1, 50, "")));
  }

  @Test
  @Tag("DDP-7.1-17")
  void shouldReportTheHeaderOfAnEarlySegmentAsItCame() {
    assertThat(early(200, untagged(0x7d, 0, 1, 50, octets(10, 9)))).isTrue();
    inTurn(100, untagged(LAST, 0, 1, 0, "01"));
    ddp.ulp.events();
    delivered(300);
    assertThat(ddp.ulp.report.header())
        .isEqualTo(HexFormat.of().parseHex(untagged(0x7d, 0, 1, 50, "")));
  }

  @Test
  @Tag("DDP-7.1-18")
  void shouldForgetWhatCameEarlyWhenTheStreamFails() {
    assertThat(early(300, tagged(TAGGED_LAST, stag, 0, "01"))).isTrue();
    inTurn(100, untagged(LAST, 9, 1, 0, "01"));
    assertThat(ddp.ulp.events()).endsWith("error INVALID_QN");
    delivered(400);
    assertThat(early(500, tagged(TAGGED_LAST, stag, 1, "02"))).as("dropped").isTrue();
    assertThat(ddp.ulp.events()).isEmpty();
    region.assertHolds(filled(0, 1, 1));
  }

  @Test
  @Tag("DDP-8.3.1-04")
  void shouldPlaceNothingAfterTheStagIsGone() {
    assertThat(early(200, tagged(TAGGED_LAST, stag, 0, octets(10, 1)))).isTrue();
    ddp.engine.taggedBuffers().invalidate(stag);
    assertThat(early(300, tagged(TAGGED_LAST, stag, 10, octets(10, 2)))).isFalse();
    inTurn(100, tagged(TAGGED_LAST, stag, 0, ""));
    delivered(300);
    assertThat(ddp.ulp.events()).as("it was right when it came").hasSize(2);
    region.assertHolds(filled(0, 10, 1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldKeepABoundedNumberOfNotes(boolean rising) {
    String segment = tagged(0x81, stag, 0, "01");
    for (int i = 0; i < EarlySegmentHeaders.MOST; i++) {
      int place = rising ? i : EarlySegmentHeaders.MOST - i;
      assertThat(early(200 + 20L * place, segment)).isTrue();
    }
    assertThat(early(10_000_000, segment)).isFalse();
    delivered(200 + 20L * 10);
    assertThat(early(10_000_000, segment)).isTrue();
  }

  @Test
  @Tag("DDP-6.2.1-03")
  void shouldTakeNothingEarlyBehindThePeersEnd() {
    ddp.stream.onPeerClosed();
    ddp.ulp.events();
    assertThat(early(200, tagged(TAGGED_LAST, stag, 0, "01"))).isFalse();
    region.assertUntouched();
  }

  /** The compiler may throw code away once in a while: the least of many rounds counts. */
  @Test
  void shouldMakeNoObjects() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Ulpdu inTurn = ulpdu(100, tagged(0x81, stag, 0, octets(10, 1)));
    MemorySegment elsewhere = Arena.ofAuto().allocate(64);
    Memory.copy(scratch.address(), elsewhere.address(), 64);
    Ulpdu early = Ulpdu.of(200, elsewhere.address(), inTurn.length());
    UlpduHandler life = ddp.stream;
    long least = Long.MAX_VALUE;
    for (int round = 0; least > 0 && round < 50; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 5000; i++) {
        life.onEarlyUlpdu(early);
        life.onUlpdu(inTurn);
        life.onDelivered(300);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isZero();
    assertThat(ddp.engine.receiveCounters().segmentsPlacedEarly).isGreaterThanOrEqualTo(5000);
  }
}
