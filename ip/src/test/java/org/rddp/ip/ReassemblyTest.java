package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ip.IpScript.FAR;
import static org.rddp.ip.IpScript.OTHER;
import static org.rddp.ip.IpScript.PEER;
import static org.rddp.ip.IpScript.SECOND;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.wire.Checksum;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/** Fragments become datagrams, within bounds. */
class ReassemblyTest {
  private final IpScript script = new IpScript();

  @AfterEach
  void shouldGiveEveryPacketBack() {
    script.ip.close();
    script.expectEveryPacketBack();
  }

  private void expectDatagram(int length) {
    assertThat(script.datagram).hasSize(length);
    for (int i = 0; i < length; i++) {
      assertThat(script.datagram[i]).isEqualTo((byte) i);
    }
    assertThat(script.ip.counters().reassembled).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 791 3.2: fragments in order become the datagram")
  @Tag("D03-13.2-01")
  void shouldPutFragmentsTogether() {
    script.fragment(PEER, 7, 0, 512, true);
    script.fragment(PEER, 7, 512, 512, true);
    assertThat(script.heard).isEmpty();
    script.fragment(PEER, 7, 1024, 101, false);
    assertThat(script.heard).containsExactly("10.0.0.2 1125");
    expectDatagram(1125);
    script.expectEveryPacketBack();
  }

  @ParameterizedTest
  @DisplayName("RFC 791 3.2: fragments may come in any order")
  @CsvSource({"0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"})
  void shouldPutThemTogetherInAnyOrder(int first, int second, int third) {
    for (int which : new int[] {first, second, third}) {
      script.fragment(PEER, 7, which * 400, which == 2 ? 50 : 400, which < 2);
    }
    expectDatagram(850);
  }

  @Test
  @DisplayName("RFC 791 3.2: source, protocol and identification together name a datagram")
  void shouldKeepDatagramsApart() {
    script.fragment(PEER, 7, 0, 8, true);
    script.fragment(PEER, 8, 8, 8, false);
    script.fragment(OTHER, 7, 8, 8, false);
    script.fragment(Ipv4.PROTOCOL_ICMP, PEER, 7, 8, 8, false, Ipv4.NOT_ECT);
    assertThat(script.heard).isEmpty();
    script.fragment(PEER, 7, 8, 8, false);
    expectDatagram(16);
  }

  @Test
  @DisplayName("RFC 791 3.2: a duplicate fragment has no effect")
  void shouldIgnoreADuplicate() {
    script.fragment(PEER, 7, 0, 400, true);
    script.fragment(PEER, 7, 0, 400, true);
    script.fragment(PEER, 7, 400, 8, false);
    expectDatagram(408);
    assertThat(script.ip.counters().fragmentsDropped).isEqualTo(1);
  }

  @ParameterizedTest
  @DisplayName("RFC 5722 3: a datagram whose fragments overlap is discarded, with later ones")
  @CsvSource({
    "0, 408",
    "392, 16",
    "392, 8",
    "0, 8",
    "400, 16",
    "408, 8",
    "384, 400",
  })
  void shouldDropOverlaps(int offset, int length) {
    script.fragment(PEER, 7, 400, 400, true);
    script.fragment(PEER, 7, 0, 400, true);
    script.fragment(PEER, 7, offset, length, true);
    script.fragment(PEER, 7, 0, 400, true);
    script.fragment(PEER, 7, 400, 400, true);
    script.fragment(PEER, 7, 800, 8, false);
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().fragmentsDropped).isEqualTo(6);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 5722 3: a datagram whose fragments disagree on its end is discarded")
  void shouldDropContradictoryEnds() {
    script.fragment(PEER, 7, 400, 8, false);
    script.fragment(PEER, 7, 416, 8, false);
    script.fragment(PEER, 8, 400, 8, false);
    script.fragment(PEER, 8, 408, 8, true);
    script.fragment(PEER, 9, 400, 8, true);
    script.fragment(PEER, 9, 8, 100, false);
    script.expectEveryPacketBack();
    for (int identification = 7; identification < 10; identification++) {
      script.fragment(PEER, identification, 0, 400, true);
    }
    assertThat(script.heard).isEmpty();
  }

  @Test
  @DisplayName("RFC 791 3.2: a fragment that others follow holds a multiple of eight octets")
  void shouldDropOddFragments() {
    script.fragment(PEER, 7, 0, 12, true);
    script.fragment(PEER, 7, 0, 0, true);
    script.fragment(PEER, 7, 8, 0, false);
    assertThat(script.ip.counters().fragmentsDropped).isEqualTo(3);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 1122 3.3.2: after 60 seconds the source gets an error")
  void shouldTimeOut() {
    script.fragment(PEER, 7, 0, 400, true);
    assertThat(script.ip.nextDeadline()).isEqualTo(script.now + 60 * SECOND);
    script.pass(59 * SECOND);
    script.expectNothing();
    script.pass(SECOND);
    script.expectError(Icmpv4.TIME_EXCEEDED, Icmpv4.REASSEMBLY_TIME, 420);
    script.expectEveryPacketBack();
    assertThat(script.ip.counters().reassemblyTimeouts).isEqualTo(1);
    assertThat(script.ip.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    script.fragment(PEER, 7, 400, 8, false);
    assertThat(script.heard).isEmpty();
  }

  @Test
  @DisplayName("RFC 1122 3.3.2: a later fragment does not make the timeout later")
  void shouldNotExtendTheTimeout() {
    script.fragment(PEER, 7, 0, 400, true);
    script.pass(40 * SECOND);
    script.fragment(PEER, 7, 400, 400, true);
    script.pass(20 * SECOND);
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 792: without the first fragment no error is sent")
  void shouldNotReportWithoutTheFirstFragment() {
    script.fragment(PEER, 7, 400, 400, true);
    script.pass(60 * SECOND);
    script.expectNothing();
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 5044 A.5.1: a datagram larger than a packet is refused with an error")
  @Tag("MPAA-5.1-03")
  void shouldRefuseWhatIsTooLarge() {
    script.fragment(PEER, 7, 0, 1024, true);
    script.fragment(PEER, 7, 1024, 1024, true);
    script.expectNothing();
    script.fragment(PEER, 7, 2048, 8, false);
    script.expectError(Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, 548);
    assertThat(Icmpv4.nextHopMtu(script.header + Ipv4.HEADER)).isEqualTo(1500);
    assertThat(script.heard).isEmpty();
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 5044 A.5.1: a datagram that just fits a packet is taken")
  void shouldTakeWhatJustFits() {
    script.fragment(PEER, 7, 0, 1024, true);
    script.fragment(PEER, 7, 1024, 1024, false);
    expectDatagram(2048);
  }

  @Test
  @DisplayName("RFC 791 3.2: no fragment may reach beyond 65535 octets")
  void shouldDropWhatReachesTooFar() {
    script.fragment(PEER, 7, 65528, 1000, false);
    script.expectNothing();
    script.expectEveryPacketBack();
    assertThat(script.ip.counters().fragmentsDropped).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "RFC 5044 A.5.1: a peer's fragments take half of the limit, and its oldest are discarded first")
  void shouldBoundAPeersFragments() {
    for (int i = 0; i < 100; i++) {
      script.fragment(PEER, i, 8, 8, true);
    }
    assertThat(script.pool.capacity() - script.pool.available()).isEqualTo(16);
    script.fragment(PEER, 99, 16, 8, true);
    assertThat(script.pool.capacity() - script.pool.available()).isEqualTo(16);
  }

  @Test
  @DisplayName("RFC 5044 A.5.1: whoever sends fragments, so many packets wait and no more")
  void shouldBoundAllFragments() {
    for (int i = 0; i < 1000; i++) {
      script.fragment(FAR + i, 1, 8, 8, true);
      script.fragment(FAR + i, 1, 16, 8, true);
    }
    int held = script.pool.capacity() - script.pool.available();
    assertThat(held).isPositive().isLessThanOrEqualTo(script.pool.capacity() / 16);
    script.fragment(PEER, 7, 0, 8, true);
    script.fragment(PEER, 7, 8, 8, false);
    expectDatagram(16);
  }

  @Test
  @DisplayName("RFC 5044 A.5.1: a datagram in more than 64 pieces is dropped")
  void shouldBoundThePieces() {
    IpScript roomy = script;
    for (int i = 0; i < 65; i++) {
      roomy.fragment(PEER, 7, i * 8, 8, i < 64);
    }
    assertThat(roomy.heard).isEmpty();
  }

  @ParameterizedTest
  @DisplayName("RFC 3168 5.3: congestion that one fragment has met, the datagram has met")
  @CsvSource({"2,3,3", "3,2,3", "2,2,2", "1,1,1", "3,1,3", "0,0,0"})
  void shouldCombineCodepoints(int first, int second, int whole) {
    script.fragment(Ipv4.PROTOCOL_TCP, PEER, 7, 0, 8, true, first);
    script.fragment(Ipv4.PROTOCOL_TCP, PEER, 7, 8, 8, false, second);
    expectDatagram(16);
    assertThat(script.ecn).isEqualTo(whole);
  }

  @Test
  @DisplayName("RFC 3168 5.3: CE in a fragment of a datagram without ECN discards it")
  void shouldDropContradictoryCodepoints() {
    script.fragment(Ipv4.PROTOCOL_TCP, PEER, 7, 0, 8, true, Ipv4.NOT_ECT);
    script.fragment(Ipv4.PROTOCOL_TCP, PEER, 7, 8, 8, false, Ipv4.CE);
    assertThat(script.heard).isEmpty();
    script.expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 1122 3.2.2.6: an echo that comes in fragments is answered")
  void shouldAnswerAFragmentedEcho() {
    long message = Memory.allocate(16);
    Memory.fill(message, 16, 0x5a);
    Memory.putLong(message, 0);
    Memory.putByte(message, Icmpv4.ECHO);
    Memory.putShort(message + 2, Checksum.field(Checksum.sum(message, 16)));
    for (int part = 0; part < 2; part++) {
      script.build(Ipv4.PROTOCOL_ICMP, PEER, 8, 0);
      Memory.copy(message + part * 8L, script.header + Ipv4.HEADER, 8);
      Ipv4.writeFragment(script.header, 7, part * 8, part == 0);
      script.receive();
    }
    assertThat(script.take()).isEqualTo(Ipv4.HEADER + 16);
    assertThat(Icmpv4.type(script.header + Ipv4.HEADER)).isEqualTo(Icmpv4.ECHO_REPLY);
  }

  @Test
  @DisplayName("RFC 791 3.2: without a packet for the whole, the datagram is lost and nothing else")
  void shouldSurviveAnEmptyPool() {
    script.fragment(PEER, 7, 0, 8, true);
    long[] taken = new long[script.pool.available() - 1];
    for (int i = 0; i < taken.length; i++) {
      taken[i] = script.pool.allocate();
    }
    script.fragment(PEER, 7, 8, 8, false);
    assertThat(script.heard).isEmpty();
    assertThat(script.ip.counters().exhausted).isEqualTo(1);
    for (long packet : taken) {
      script.pool.release(packet);
    }
    script.expectEveryPacketBack();
  }
}
