package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;
import static org.rddp.daemon.QueuePairEnd.LONG;
import static org.rddp.daemon.QueuePairEnd.exchange;
import static org.rddp.daemon.QueuePairEnd.inet;
import static org.rddp.daemon.QueuePairEnd.post;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ExpectedPeer;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;

/** Queue pairs that find each other by numbers, which their programs know by other means. */
@Timeout(60)
class QueuePairsTest {
  private static final int UNKNOWN = ExpectedPeer.UNKNOWN_PSN;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp one = daemon.connect("one");
  private final Rddp two = daemon.connect("two");

  @AfterEach
  void shouldLeaveNoPackets() {
    one.close();
    two.close();
    TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is free");
    daemon.close();
  }

  private static void end(Connection connection) {
    connection.abort();
    assertThat(connection.awaitClosed(TIMEOUT)).isTrue();
  }

  private QueuePairEnd one(int psn) {
    return QueuePairEnd.of(one, TestDaemon.ADDRESS_ONE, psn);
  }

  private QueuePairEnd two(int psn) {
    return QueuePairEnd.of(two, TestDaemon.ADDRESS_TWO, psn);
  }

  private long counter(String name) {
    try {
      return TestDaemon.counters(one).get(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void awaitCounter(String name, long value) {
    TestDaemon.await(() -> counter(name) >= value, name + " is " + value);
  }

  @Test
  void shouldConnectWhoeverExpectsFirst() {
    QueuePairEnd lower = one(0x123456);
    QueuePairEnd higher = two(0xabcdef);
    exchange(lower, higher);
    exchange(higher, lower);
  }

  @Test
  void shouldKeepANumberWhoseQueuePairWaits() {
    QueuePairEnd lower = one(1);
    QueuePairEnd higher = two(2);
    Connection waiting = lower.expect(higher);
    assertThatThrownBy(lower.number()::close)
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("waits for its peer: disconnect it first");
    end(waiting);
    exchange(lower, higher);
  }

  @Test
  void shouldConnectWhereBothExpectAtOnce() {
    QueuePairEnd lower = one(1);
    QueuePairEnd higher = two(2);
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Connection> other =
          CompletableFuture.supplyAsync(() -> higher.expect(lower));
      Connection out = lower.expect(higher);
      Connection in = other.join();
      out.awaitEstablished(TIMEOUT);
      in.awaitEstablished(TIMEOUT);
      end(out);
      assertThat(in.awaitClosed(TIMEOUT)).isTrue();
    }
  }

  @Test
  void shouldConnectOverIpv6() {
    QueuePairEnd lower = QueuePairEnd.of(one, TestDaemon.IPV6_ONE, 1);
    QueuePairEnd higher = QueuePairEnd.of(two, TestDaemon.IPV6_TWO, 2);
    exchange(lower, higher);
    exchange(higher, lower);
  }

  @Test
  void shouldConnectOverLinkLocalAddresses() {
    QueuePairEnd lower = QueuePairEnd.of(one, linkLocal("one"), 1);
    QueuePairEnd higher = QueuePairEnd.of(two, linkLocal("two"), 2);
    exchange(lower, higher);
    exchange(higher, lower);
  }

  private String linkLocal(String name) {
    return Rddp.interfaces(daemon.socket()).stream()
        .filter(each -> each.name().equals(name))
        .flatMap(each -> each.addresses().stream())
        .map(InetAddress::getHostAddress)
        .filter(each -> each.startsWith("fe80"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldConnectTwoNumbersOfOneInterface() {
    try (Rddp other = daemon.connect("one")) {
      exchange(one(1), QueuePairEnd.of(other, TestDaemon.ADDRESS_ONE, 2));
      exchange(QueuePairEnd.of(other, TestDaemon.ADDRESS_ONE, 3), one(4));
    }
  }

  @Test
  void shouldConnectANumberWithItself() {
    QueuePairEnd both = one(5);
    for (int i = 0; i < 5; i++) {
      Connection itself = both.expect(both);
      post(one, itself);
      assertThat(completions(one, 2))
          .containsExactlyInAnyOrder("receive 1 SUCCESS 8", "send 2 SUCCESS 8");
      itself.disconnect();
      assertThat(itself.awaitClosed(TIMEOUT)).isTrue();
      assertThat(itself.closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
    }
    Connection aborted = both.expect(both, UNKNOWN, LONG);
    aborted.awaitEstablished(TIMEOUT);
    end(aborted);
    exchange(both, two(6));
  }

  @Test
  void shouldWaitUntilOneEndSaysItsPsn() {
    for (int i = 0; i < 4; i++) {
      QueuePairEnd lower = one(5);
      QueuePairEnd higher = two(6);
      Connection out = lower.expect(higher, UNKNOWN, LONG);
      Connection in = higher.expect(lower, UNKNOWN, LONG);
      awaitCounter("two.introductions_kept", i + 1);
      assertThat(out.isOpen()).isFalse();
      QueuePairEnd saying = i % 2 == 0 ? lower : higher;
      saying.number().sayPsn(saying.equals(lower) ? out : in, saying.psn(), LONG);
      out.awaitEstablished(TIMEOUT);
      in.awaitEstablished(TIMEOUT);
      out.abort();
      assertThat(in.awaitClosed(TIMEOUT)).isTrue();
      assertThat(out.awaitClosed(TIMEOUT)).isTrue();
    }
  }

  @Test
  void shouldKeepTheLatestIntroductionOfAPeer() {
    QueuePairEnd lower = one(5);
    QueuePairEnd higher = two(6);
    Connection out = lower.expect(higher, UNKNOWN, LONG);
    awaitCounter("two.introductions_kept", 1);
    lower.number().sayPsn(out, lower.psn(), LONG);
    awaitCounter("two.introductions_kept", 2);
    Connection in = higher.expect(lower, UNKNOWN, LONG);
    out.awaitEstablished(TIMEOUT);
    in.awaitEstablished(TIMEOUT);
    // No third one, which would come only when the first had ended.
    assertThat(counter("one.tcp_established_connections")).isEqualTo(2);
  }

  @Test
  void shouldTakeAPsnOnce() {
    QueuePairEnd lower = one(5);
    Connection out = lower.expect(0xabcdef, inet(TestDaemon.ADDRESS_TWO), UNKNOWN, 6, LONG);
    lower.number().sayPsn(out, 5, LONG);
    lower.number().sayPsn(out, 5, LONG);
    assertThatThrownBy(() -> lower.number().sayPsn(out, 7, LONG))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STATE))
        .hasMessageContaining("has said its PSN");
    end(out);
  }

  @Test
  void shouldNotConnectWithWrongNumberAddressOrPsn() {
    QueuePairEnd lower = one(5);
    QueuePairEnd higher = two(6);
    int number = higher.number().value();
    Connection in = higher.expect(lower);
    Connection wrongPsn = lower.expect(number, higher.address(), 5, 7, LONG);
    awaitCounter("two.introductions_refused", 2);
    end(wrongPsn);
    Connection wrongOwnPsn = lower.expect(number, higher.address(), 4, 6, LONG);
    awaitCounter("two.introductions_refused", 4);
    end(wrongOwnPsn);
    QueuePairEnd stranger = one(5);
    Connection wrongNumber = stranger.expect(number, higher.address(), 5, 6, LONG);
    awaitCounter("two.introductions_refused", 6);
    end(wrongNumber);
    QueuePairEnd elsewhere = new QueuePairEnd(one, lower.number(), inet(TestDaemon.IPV6_ONE), 5);
    Connection wrongAddress = elsewhere.expect(number, inet(TestDaemon.IPV6_TWO), 5, 6, LONG);
    awaitCounter("two.introductions_refused", 8);
    end(wrongAddress);
    assertThat(in.isOpen()).isFalse();
    Connection out = lower.expect(higher);
    out.awaitEstablished(TIMEOUT);
    in.awaitEstablished(TIMEOUT);
  }

  @Test
  void shouldGiveRequestsUpInTime() {
    QueuePairEnd lower = one(5);
    Connection nobody = lower.expect(0xabcdef, inet(TestDaemon.ADDRESS_TWO), 5, 6, LONG);
    lower.number().sayPsn(nobody, 5, Duration.ofMillis(40));
    MemoryRegion region = one.allocate(64, Access.LOCAL_WRITE);
    assertThat(nobody.postReceive(1, region, 0, 8)).isTrue();
    awaitCounter("two.introductions_refused", 2);
    assertThat(nobody.closeReason()).isNull();
    assertThat(nobody.postSend(2, region, 0, 8)).isTrue();
    assertThat(completions(one, 2))
        .containsExactlyInAnyOrder("receive 1 FLUSHED 0", "send 2 FLUSHED 0");
    assertThatThrownBy(() -> nobody.awaitEstablished(TIMEOUT))
        .isInstanceOfSatisfying(
            ConnectionFailedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TIMEOUT))
        .hasMessageContaining("queue pair 0xabcdef of 10.0.0.2");
    // The number can be used again.
    exchange(lower, two(7));
  }

  @Test
  void shouldStopExpectingWhenDisconnected() {
    QueuePairEnd lower = one(5);
    QueuePairEnd higher = two(6);
    for (QueuePairEnd end : new QueuePairEnd[] {lower, higher}) {
      Connection waiting = end.expect(end.equals(lower) ? higher : lower);
      assertThatThrownBy(() -> end.number().close())
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STATE));
      assertThatThrownBy(() -> end.expect(end.equals(lower) ? higher : lower))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STATE));
      waiting.disconnect();
      assertThat(waiting.awaitClosed(TIMEOUT)).isTrue();
    }
    exchange(lower, higher);
    lower.number().close();
    assertThatThrownBy(() -> lower.expect(higher))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_FOUND));
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    QueuePairEnd lower = one(5);
    int peer = two(6).number().value();
    assertInvalid(lower, peer, TestDaemon.IPV6_TWO, 5, 6, "of one family");
    assertInvalid(lower, 1 << 24, TestDaemon.ADDRESS_TWO, 5, 6, "the peer's number is 16777216");
    assertInvalid(lower, peer, TestDaemon.ADDRESS_TWO, -2, 6, "the PSN of the own sends is -2");
    assertInvalid(lower, peer, TestDaemon.ADDRESS_TWO, 5, -1, "the PSN of the peer's sends is -1");
    QueuePairEnd global = QueuePairEnd.of(one, TestDaemon.IPV6_ONE, 5);
    assertInvalid(global, peer, linkLocal("two"), 5, 6, "both link-local or neither");
    assertThatThrownBy(() -> lower.expect(peer, inet("192.0.2.1"), 5, 6, LONG))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE));
    exchange(lower, two(7));
  }

  private static void assertInvalid(
      QueuePairEnd end, int number, String remote, int psn, int remotePsn, String message) {
    assertThatThrownBy(() -> end.expect(number, inet(remote), psn, remotePsn, LONG))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
        .hasMessageContaining(message);
  }

  @Test
  void shouldRefuseNumbersWhereThePortIsOff() {
    try (TestDaemon off = TestDaemon.withKeys("queue-pair-port = 0", "");
        Rddp session = off.connect("one")) {
      assertThatThrownBy(session::createNumber)
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STATE))
          .hasMessageContaining("queue-pair-port of the interface is 0");
    }
  }

  @Test
  void shouldNameRdmaCmWhereNobodyKnowsQueuePairs() {
    try (TestDaemon other = TestDaemon.withPortsOfQueuePairs(4794, 4795);
        Rddp here = other.connect("one")) {
      QueuePairEnd end = QueuePairEnd.of(here, TestDaemon.ADDRESS_ONE, 5);
      Connection refused = end.expect(77, inet(TestDaemon.ADDRESS_TWO), 5, 6, LONG);
      assertThatThrownBy(() -> refused.awaitEstablished(TIMEOUT))
          .isInstanceOfSatisfying(
              ConnectionFailedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED))
          .hasMessageContaining("nobody listens at port 4794 of 10.0.0.2")
          .hasMessageContaining("connect by rdma_cm");
    }
  }

  @Test
  void shouldEndWithASession() {
    QueuePairEnd higher = two(6);
    Connection in;
    try (Rddp gone = daemon.connect("one")) {
      QueuePairEnd lower = QueuePairEnd.of(gone, TestDaemon.ADDRESS_ONE, 5);
      in = higher.expect(lower);
      post(two, in);
      Connection out = lower.expect(higher);
      out.awaitEstablished(TIMEOUT);
      in.awaitEstablished(TIMEOUT);
    }
    assertThat(in.awaitClosed(TIMEOUT)).isTrue();
    assertThat(completions(two, 2)).contains("receive 1 FLUSHED 0");
    Rddp gone = daemon.connect("two");
    QueuePairEnd end = QueuePairEnd.of(gone, TestDaemon.ADDRESS_TWO, 5);
    QueuePairEnd lower = one(7);
    // Kept for a number that does not expect yet, until its session ends.
    Connection out = lower.expect(end);
    awaitCounter("two.introductions_kept", 1);
    long refused = counter("two.introductions_refused");
    gone.close();
    awaitCounter("two.introductions_refused", refused + 2);
    end(out);
  }
}
