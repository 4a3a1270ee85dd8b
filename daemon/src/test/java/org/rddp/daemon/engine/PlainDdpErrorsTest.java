package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;

/** What a program that is the ULP is told of what its peer does wrong (RFC 5041 section 7). */
class PlainDdpErrorsTest extends PlainDdpConnection {
  @Test
  @Tag("DDP-7.1-01")
  @Tag("DDP-7.1-17")
  @Tag("DDP-7.2-01")
  void shouldReportAnUnknownQueue() throws Exception {
    connect(0, 0);
    peer.untagged(true, ULP, QUEUES, 1, 0, 1, 10);
    run();
    assertError(0x201, "41a1b2c3d4e5" + "00000003" + "00000001" + "00000000", 28);
  }

  @Test
  void shouldReportTheHighestQueueNumber() throws Exception {
    connect(HELD, 0);
    peer.untagged(true, 0, -1, 1, 0, 1, 10);
    run();
    assertError(0x201, "410000000000" + "ffffffff" + "00000001" + "00000000", 28);
  }

  @Test
  @Tag("DDP-7.1-02")
  void shouldReportAMessageWithoutAReceive() throws Exception {
    connect(0, 0);
    receive(1, 0, 0, 10);
    run();
    peer.untagged(true, 0, 0, 2, 0, 1, 10);
    run();
    assertError(0x202, "410000000000" + "00000000" + "00000002" + "00000000", 28);
    assertThat(completions()).containsExactly("1 FLUSHED 0 octets QN 0 MSN 0 ULP 0");
  }

  @Test
  @Tag("DDP-7.1-09")
  void shouldReportAMessageThatHasBeenDelivered() throws Exception {
    connect(0, 0);
    receive(1, 0, 0, 10);
    receive(2, 0, 0, 10);
    run();
    peer.untagged(true, 0, 0, 1, 0, 1, 10);
    peer.untagged(true, 0, 0, 1, 0, 1, 10);
    run();
    assertError(0x203, "410000000000" + "00000000" + "00000001" + "00000000", 28);
    assertThat(completions())
        .containsExactly(
            "1 SUCCESS 10 octets QN 0 MSN 1 ULP 0", "2 FLUSHED 0 octets QN 0 MSN 0 ULP 0");
  }

  @Test
  @Tag("DDP-7.1-07")
  void shouldReportAnOffsetOutsideTheReceive() throws Exception {
    connect(0, 0);
    receive(1, 1, 0, 10);
    run();
    peer.untagged(false, 0, 1, 1, 10, 1, 1);
    run();
    assertError(0x204, "010000000000" + "00000001" + "00000001" + "0000000a", 19);
  }

  @Test
  @Tag("DDP-7.1-08")
  @Tag("DDP-7.1-16")
  void shouldReportAMessageThatIsTooLong() throws Exception {
    connect(0, 0);
    receive(1, 1, 0, 10);
    run();
    peer.untagged(true, 0, 1, 1, 0, 1, 11);
    run();
    assertError(0x205, "410000000000" + "00000001" + "00000001" + "00000000", 29);
    assertThat(data.get(ValueLayout.JAVA_BYTE, 0)).as("nothing of it is placed").isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("DDP-7.2-04")
  @Tag("DDP-7.2-05")
  void shouldReportAnotherVersion(boolean tagged) throws Exception {
    connect(0, 0);
    peer.ofVersion(2, tagged);
    run();
    if (tagged) {
      assertError(0x104, "c200" + "0".repeat(24), 14);
    } else {
      assertError(0x206, "42" + "0".repeat(18) + "00000001" + "00000000", 18);
    }
  }

  @Test
  @Tag("DDP-7.2-02")
  void shouldReportASegmentShorterThanItsHeader() throws Exception {
    connect(0, 0);
    peer.cutShort();
    run();
    assertError(0x000, "41", 1);
  }

  @Test
  @Tag("DDP-7.1-11")
  void shouldReportAnUnknownStag() throws Exception {
    connect(0, 0);
    peer.tagged(true, 7, stag + 1, 16, 1, 1);
    run();
    assertError(0x100, "c107%08x%016x".formatted(stag + 1, 16), 15);
  }

  @Test
  @Tag("DDP-7.1-14")
  void shouldReportAnEndOutsideTheRegion() throws Exception {
    connect(0, 0);
    peer.tagged(true, 7, stag, 4090, 1, 7);
    run();
    assertError(0x101, "c107%08x%016x".formatted(stag, 4090), 21);
  }

  @Test
  @Tag("DDP-7.2-03")
  void shouldReportTheStagOfAnotherConnection() throws Exception {
    connect(0, 0);
    int other = fixture.connect(ConnectionSettings.RDMAP);
    int bits = Access.bits(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    int foreign = session.register(data.address(), REGION, bits, other);
    peer.tagged(true, 7, foreign, 0, 1, 1);
    run();
    assertError(0x102, "c107%08x%016x".formatted(foreign, 0), 15);
  }

  @Test
  @Tag("DDP-7.1-15")
  void shouldReportAnOffsetThatWraps() throws Exception {
    connect(0, 0);
    peer.tagged(true, 7, stag, -8, 1, 16);
    run();
    assertError(0x103, "c107%08xfffffffffffffff8".formatted(stag), 30);
  }

  @Test
  void shouldReportATaggedMessageWithoutANotice() throws Exception {
    connect(0, 1);
    peer.tagged(true, 7, stag, 0, 1, 1);
    run();
    assertError(0x000, "c107%08x%016x".formatted(stag, 0), 15);
    assertThat(event(DaemonMessage.StreamFailed.class).text()).startsWith("no notice is posted");
  }

  @Test
  @Tag("DDP-7-01")
  @Tag("DDP-6.2.2-01")
  void shouldReportThatTheConnectionIsLost() throws Exception {
    connect(0, 2);
    receive(1, 0, 0, 10);
    notice(2);
    run();
    peer.abort();
    run();
    DaemonMessage.StreamFailed failed = event(DaemonMessage.StreamFailed.class);
    assertThat(failed.reason()).isEqualTo(Reason.MPA_ERROR);
    assertThat(failed.detail()).isEqualTo(1);
    assertThat(failed.header()).isEmpty();
    assertThat(event(DaemonMessage.Closed.class).reason()).isEqualTo(Reason.RESET);
    assertThat(completions())
        .containsExactlyInAnyOrder(
            "1 FLUSHED 0 octets QN 0 MSN 0 ULP 0", "2 FLUSHED 0 octets STag 0 TO 0 ULP 0");
  }

  @Test
  @Tag("DDP-6.2.2-04")
  @Tag("DDP-7.1-18")
  @Tag("DDP-7.1-19")
  void shouldSendOneMoreMessageAfterAnErrorAndLeaveTheEndToTheProgram() throws Exception {
    connect(0, 0);
    receive(1, 0, 0, 10);
    run();
    peer.untagged(true, 0, QUEUES, 1, 0, 1, 10);
    peer.untagged(true, 0, 0, 1, 0, 1, 10);
    run();
    assertThat(completions()).containsExactly("1 FLUSHED 0 octets QN 0 MSN 0 ULP 0");
    assertThat(fixture.engine.ddp().receiveCounters().segmentsRefused).isEqualTo(1);
    assertThat(fixture.engine.ddp().receiveCounters().segmentsDropped).isEqualTo(1);
    send(2, SendFlags.SIGNALLED, 2, 4, 0x99);
    send(3, SendFlags.SIGNALLED, 2, 4, 0x99);
    receive(4, 0, 0, 10);
    run();
    assertThat(completions())
        .containsExactlyInAnyOrder(
            "2 SUCCESS 4 octets", "3 FLUSHED 0 octets", "4 FLUSHED 0 octets QN 0 MSN 0 ULP 0");
    assertThat(peer.received())
        .containsExactly("410000000099" + "00000002" + "00000001" + "00000000" + "00000000");
    fixture.pass(HOUR);
    run();
    assertThat(events).noneMatch(DaemonMessage.Closed.class::isInstance);
    assertThat(peer.events()).doesNotContain("peer closed");

    session.disconnect(connection, true);
    run();
    assertThat(peer.events()).contains("peer closed");
    peer.close();
    run();
    DaemonMessage.Closed closed = event(DaemonMessage.Closed.class);
    assertThat(closed.reason()).isEqualTo(Reason.DDP_ERROR);
    assertThat(closed.detail()).isEqualTo(0x201);
    assertThat(events.stream().filter(DaemonMessage.StreamFailed.class::isInstance)).hasSize(1);
  }

  @Test
  void shouldEndAFailedStreamWithAResetIfTheProgramWantsThat() throws Exception {
    connect(0, 0);
    peer.untagged(true, 0, QUEUES, 1, 0, 1, 10);
    run();
    session.disconnect(connection, false);
    run();
    assertThat(peer.events()).contains("closed RESET");
    assertThat(event(DaemonMessage.Closed.class).reason()).isEqualTo(Reason.DDP_ERROR);
    assertThat(fixture.engine.tcp().connections()).isZero();
  }
}
