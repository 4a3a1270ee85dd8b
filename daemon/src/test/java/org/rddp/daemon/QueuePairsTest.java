package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ExpectedPeer;
import org.rddp.client.MemoryRegion;
import org.rddp.client.QueuePairNumber;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;

/** Queue pairs that find each other by numbers, which their programs know by other means. */
@Timeout(60)
class QueuePairsTest {
  /** Long enough that no test waits for its end. */
  private static final Duration LONG = Duration.ofMinutes(10);

  private static final int UNKNOWN = ExpectedPeer.UNKNOWN_PSN;

  /** The peer may send before this program has posted a receive. */
  private static final ConnectionOptions HOLDING = ConnectionOptions.DEFAULTS.withHeldOctets(4096);

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

  /** One end of a pair: a number, and what the peer is told of it. */
  private record End(Rddp session, QueuePairNumber number, InetAddress address, int psn) {
    static End of(Rddp session, String address, int psn) {
      return new End(session, session.createNumber(), inet(address), psn);
    }

    Connection expect(End peer) {
      return expect(peer, psn, LONG);
    }

    Connection expect(End peer, int ownPsn, Duration timeout) {
      return expect(peer.number.value(), peer.address, ownPsn, peer.psn, timeout);
    }

    Connection expect(
        int remoteNumber, InetAddress remote, int ownPsn, int remotePsn, Duration timeout) {
      return number.expect(
          new ExpectedPeer(address, remote, remoteNumber, ownPsn, remotePsn, timeout), HOLDING);
    }
  }

  private static InetAddress inet(String address) {
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private End one(int psn) {
    return End.of(one, TestDaemon.ADDRESS_ONE, psn);
  }

  private End two(int psn) {
    return End.of(two, TestDaemon.ADDRESS_TWO, psn);
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

  /** A message of eight octets each way, the requests of which may be posted before. */
  private static void post(Rddp session, Connection connection) {
    MemoryRegion region = session.allocate(64, Access.LOCAL_WRITE);
    region.segment().set(ValueLayout.JAVA_LONG, 0, connection.id());
    assertThat(connection.postReceive(1, region, 32, 8)).isTrue();
    assertThat(connection.postSend(2, region, 0, 8)).isTrue();
  }

  private static void awaitMessages(Rddp here, Rddp there) {
    assertThat(completions(here, 2))
        .containsExactlyInAnyOrder("receive 1 SUCCESS 8", "send 2 SUCCESS 8");
    assertThat(completions(there, 2))
        .containsExactlyInAnyOrder("receive 1 SUCCESS 8", "send 2 SUCCESS 8");
  }

  private static void exchange(End first, End second) {
    Connection out = first.expect(second);
    post(first.session, out);
    Connection in = second.expect(first);
    post(second.session, in);
    awaitMessages(first.session, second.session);
    out.awaitEstablished(TIMEOUT);
    in.awaitEstablished(TIMEOUT);
    out.disconnect();
    in.disconnect();
    assertThat(in.awaitClosed(TIMEOUT)).isTrue();
    assertThat(out.awaitClosed(TIMEOUT)).isTrue();
  }

  @Test
  void shouldConnectWhoeverExpectsFirst() {
    End lower = one(0x123456);
    End higher = two(0xabcdef);
    exchange(lower, higher);
    exchange(higher, lower);
  }

  @Test
  void shouldConnectOverIpv6() {
    End lower = End.of(one, TestDaemon.IPV6_ONE, 1);
    End higher = End.of(two, TestDaemon.IPV6_TWO, 2);
    exchange(lower, higher);
    exchange(higher, lower);
  }

  @Test
  void shouldConnectOverLinkLocalAddresses() {
    End lower = End.of(one, linkLocal("one"), 1);
    End higher = End.of(two, linkLocal("two"), 2);
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
      exchange(one(1), End.of(other, TestDaemon.ADDRESS_ONE, 2));
      exchange(End.of(other, TestDaemon.ADDRESS_ONE, 3), one(4));
    }
  }

  @Test
  void shouldWaitUntilOneEndSaysItsPsn() {
    for (int i = 0; i < 4; i++) {
      End lower = one(5);
      End higher = two(6);
      Connection out = lower.expect(higher, UNKNOWN, LONG);
      Connection in = higher.expect(lower, UNKNOWN, LONG);
      awaitCounter("two.engine.introductions.kept", i + 1);
      assertThat(out.isOpen()).isFalse();
      End saying = i % 2 == 0 ? lower : higher;
      saying.number.sayPsn(saying == lower ? out : in, saying.psn, LONG);
      out.awaitEstablished(TIMEOUT);
      in.awaitEstablished(TIMEOUT);
      out.close();
      in.close();
    }
  }

  @Test
  void shouldNotConnectWithWrongNumberAddressOrPsn() {
    End lower = one(5);
    End higher = two(6);
    int number = higher.number.value();
    Connection in = higher.expect(lower);
    Connection wrongPsn = lower.expect(number, higher.address, 5, 7, LONG);
    awaitCounter("two.engine.introductions.refused", 2);
    wrongPsn.close();
    Connection wrongOwnPsn = lower.expect(number, higher.address, 4, 6, LONG);
    awaitCounter("two.engine.introductions.refused", 4);
    wrongOwnPsn.close();
    End stranger = one(5);
    Connection wrongNumber = stranger.expect(number, higher.address, 5, 6, LONG);
    awaitCounter("two.engine.introductions.refused", 6);
    wrongNumber.close();
    End elsewhere = new End(one, lower.number, inet(TestDaemon.IPV6_ONE), 5);
    Connection wrongAddress = elsewhere.expect(number, inet(TestDaemon.IPV6_TWO), 5, 6, LONG);
    awaitCounter("two.engine.introductions.refused", 8);
    wrongAddress.close();
    assertThat(in.isOpen()).isFalse();
    Connection out = lower.expect(higher);
    out.awaitEstablished(TIMEOUT);
    in.awaitEstablished(TIMEOUT);
  }

  @Test
  void shouldGiveRequestsUpInTime() {
    End lower = one(5);
    Connection nobody = lower.expect(0xabcdef, inet(TestDaemon.ADDRESS_TWO), 5, 6, LONG);
    lower.number.sayPsn(nobody, 5, Duration.ofMillis(40));
    MemoryRegion region = one.allocate(64, Access.LOCAL_WRITE);
    assertThat(nobody.postReceive(1, region, 0, 8)).isTrue();
    awaitCounter("two.engine.introductions.refused", 2);
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
    End lower = one(5);
    End higher = two(6);
    for (End end : new End[] {lower, higher}) {
      Connection waiting = end.expect(end == lower ? higher : lower);
      assertThatThrownBy(() -> end.number.close())
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STATE));
      assertThatThrownBy(() -> end.expect(end == lower ? higher : lower))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STATE));
      waiting.disconnect();
      assertThat(waiting.awaitClosed(TIMEOUT)).isTrue();
    }
    exchange(lower, higher);
    lower.number.close();
    assertThatThrownBy(() -> lower.expect(higher))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_FOUND));
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    End lower = one(5);
    int peer = two(6).number.value();
    assertInvalid(lower, peer, TestDaemon.IPV6_TWO, 5, 6, "of one family");
    assertInvalid(lower, 1 << 24, TestDaemon.ADDRESS_TWO, 5, 6, "the peer's number is 16777216");
    assertInvalid(lower, peer, TestDaemon.ADDRESS_TWO, -2, 6, "the PSN of the own sends is -2");
    assertInvalid(lower, peer, TestDaemon.ADDRESS_TWO, 5, -1, "the PSN of the peer's sends is -1");
    End global = End.of(one, TestDaemon.IPV6_ONE, 5);
    assertInvalid(global, peer, linkLocal("two"), 5, 6, "both link-local or neither");
    assertInvalid(lower, lower.number.value(), TestDaemon.ADDRESS_ONE, 5, 5, "with itself");
    assertThatThrownBy(() -> lower.expect(peer, inet("192.0.2.1"), 5, 6, LONG))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNREACHABLE));
    exchange(lower, two(7));
  }

  private static void assertInvalid(
      End end, int number, String remote, int psn, int remotePsn, String message) {
    assertThatThrownBy(() -> end.expect(number, inet(remote), psn, remotePsn, LONG))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID))
        .hasMessageContaining(message);
  }

  @Test
  void shouldEndWithASession() {
    End higher = two(6);
    Connection in;
    try (Rddp gone = daemon.connect("one")) {
      End lower = End.of(gone, TestDaemon.ADDRESS_ONE, 5);
      in = higher.expect(lower);
      post(two, in);
      Connection out = lower.expect(higher);
      out.awaitEstablished(TIMEOUT);
      in.awaitEstablished(TIMEOUT);
    }
    assertThat(in.awaitClosed(TIMEOUT)).isTrue();
    assertThat(completions(two, 2)).contains("receive 1 FLUSHED 0");
    Rddp gone = daemon.connect("two");
    End end = End.of(gone, TestDaemon.ADDRESS_TWO, 5);
    End lower = one(7);
    // Kept for a number that does not expect yet, until its session ends.
    Connection out = lower.expect(end);
    awaitCounter("two.engine.introductions.kept", 1);
    long refused = counter("two.engine.introductions.refused");
    gone.close();
    awaitCounter("two.engine.introductions.refused", refused + 2);
    out.close();
  }
}
