package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ipc.Access;
import org.rddp.ipc.Completion;
import org.rddp.ipc.ConnectionSettings;
import org.rddp.ipc.DaemonMessage;
import org.rddp.ipc.Opcode;
import org.rddp.ipc.PieceList;
import org.rddp.ipc.ProgramRings;
import org.rddp.ipc.Reason;
import org.rddp.ipc.WorkRequest;

/** A program that is the ULP of its connection, and a peer that sends what it likes. */
class PlainDdpStreamTest {
  private static final int QUEUES = 3;
  private static final int REGION = 4096;
  private static final int HELD = 1 << 16;
  private static final long HOUR = 3600_000_000_000L;
  private static final long ULP = 0xa1_b2c3_d4e5L;

  private final SessionFixture fixture = new SessionFixture();
  private final Session session = fixture.session;
  private final ProgramRings rings = fixture.rings;
  private final MemorySegment data = fixture.data;
  private final List<DaemonMessage> events = fixture.events;
  private final MpaPeer peer = new MpaPeer();
  private int stag;
  private int connection;

  private void run() {
    fixture.run();
  }

  /** A listener has those options, and the peer has connected. */
  private void request(int heldOctets, int notices) throws RefusedException {
    int bits = Access.bits(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    stag = session.register(data.address(), REGION, bits, 0);
    session.listen(
        SessionFixture.PORT, 8, new ConnectionSettings(heldOctets, notices, List.of(4, 2, 1)));
    fixture.connect(peer.transport());
    run();
    connection = event(DaemonMessage.ConnectionRequested.class).connection();
  }

  private void connect(int heldOctets, int notices) throws RefusedException {
    request(heldOctets, notices);
    session.accept(connection, new byte[0]);
    run();
  }

  private <E extends DaemonMessage> E event(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).findFirst().orElseThrow();
  }

  private List<String> completions() {
    session.flush();
    Completion completion = new Completion();
    List<String> seen = new ArrayList<>();
    while (rings.poll(completion)) {
      String what =
          completion.id() + " " + completion.status() + " " + completion.octets() + " octets";
      seen.add(
          switch (completion.opcode()) {
            case Opcode.RECEIVE_UNTAGGED ->
                "%s QN %d MSN %d ULP %x"
                    .formatted(what, completion.qn(), completion.msn(), completion.rsvdUlp());
            case Opcode.TAGGED_NOTICE ->
                "%s STag %s TO %x ULP %x"
                    .formatted(
                        what,
                        completion.stag() == stag ? "ours" : completion.stag(),
                        completion.to(),
                        completion.rsvdUlp());
            default -> what;
          });
    }
    rings.publish();
    return seen;
  }

  private void receive(int id, int qn, long offset, long length) {
    assertThat(
            rings.post(
                Opcode.RECEIVE_UNTAGGED, 0, id, connection, stag, offset, length, 0, qn, 0, 0))
        .isTrue();
  }

  private void notice(int id) {
    assertThat(rings.post(Opcode.TAGGED_NOTICE, 0, id, connection, 0, 0, 0, 0, 0)).isTrue();
  }

  private void send(int id, int flags, int qn, long length, long rsvdUlp) {
    assertThat(
            rings.post(
                Opcode.SEND_UNTAGGED, flags, id, connection, stag, 0, length, 0, qn, 0, rsvdUlp))
        .isTrue();
  }

  private void assertError(int detail, String header, int octets) {
    DaemonMessage.StreamFailed failed = event(DaemonMessage.StreamFailed.class);
    assertThat(failed.connection()).isEqualTo(connection);
    assertThat(failed.reason()).isEqualTo(Reason.DDP_ERROR);
    assertThat(failed.detail()).as("type and code").isEqualTo(detail);
    assertThat(failed.header()).isEqualTo(header);
    assertThat(failed.segmentOctets()).isEqualTo(octets);
    assertThat(failed.text()).contains(header);
  }

  // ---- What comes ----

  @Test
  @Tag("DDP-4.3-03")
  @Tag("DDP-5.4-03")
  @Tag("DDP-5.3-06")
  void shouldDeliverTheMessagesOfEveryQueueWithWhatTheirHeadersSay() throws Exception {
    connect(0, 0);
    receive(1, 0, 0, 100);
    receive(2, 1, 100, 100);
    receive(3, 0, 200, 100);
    receive(4, 2, 300, 0);
    run();
    peer.untagged(true, ULP, 1, 1, 0, 7, 30);
    peer.untagged(false, 5, 0, 1, 0, 8, 50);
    peer.untagged(true, 0, 2, 1, 0, 0, 0);
    peer.untagged(true, 5, 0, 1, 50, 9, 20);
    peer.untagged(true, 0xff_ffff_ffffL, 0, 2, 0, 1, 1);
    run();
    assertThat(completions())
        .containsExactly(
            "2 SUCCESS 30 octets QN 1 MSN 1 ULP a1b2c3d4e5",
            "4 SUCCESS 0 octets QN 2 MSN 1 ULP 0",
            "1 SUCCESS 70 octets QN 0 MSN 1 ULP 5",
            "3 SUCCESS 1 octets QN 0 MSN 2 ULP ffffffffff");
    assertThat(data.get(ValueLayout.JAVA_BYTE, 49)).isEqualTo((byte) 8);
    assertThat(data.get(ValueLayout.JAVA_BYTE, 69)).isEqualTo((byte) 9);
    assertThat(data.get(ValueLayout.JAVA_BYTE, 129)).isEqualTo((byte) 7);
    assertThat(data.get(ValueLayout.JAVA_BYTE, 200)).isEqualTo((byte) 1);
  }

  @Test
  @Tag("DDP-4.2-03")
  @Tag("DDP-4.2-06")
  @Tag("DDP-5.3-06")
  void shouldTellOfTaggedMessagesInTheirTurn() throws Exception {
    connect(0, 4);
    receive(1, 0, 0, 100);
    notice(2);
    notice(3);
    run();
    peer.tagged(false, 0xfe, stag, 1000, 4, 10);
    peer.tagged(true, 0xfe, stag, 1010, 5, 20);
    peer.untagged(true, 1, 0, 1, 0, 6, 6);
    peer.tagged(true, 0x01, 0, 0, 0, 0);
    run();
    assertThat(completions())
        .containsExactly(
            "2 SUCCESS 20 octets STag ours TO 3f2 ULP fe",
            "1 SUCCESS 6 octets QN 0 MSN 1 ULP 1",
            "3 SUCCESS 0 octets STag 0 TO 0 ULP 1");
    assertThat(data.get(ValueLayout.JAVA_BYTE, 1009)).isEqualTo((byte) 4);
    assertThat(data.get(ValueLayout.JAVA_BYTE, 1029)).isEqualTo((byte) 5);
  }

  @Test
  void shouldPlaceTaggedMessagesWithoutAWordWhereNoNoticesAreWanted() throws Exception {
    connect(0, 0);
    notice(1);
    run();
    assertThat(completions()).containsExactly("1 LOCAL_OPERATION_ERROR 0 octets STag 0 TO 0 ULP 0");
    peer.tagged(true, 9, stag, 0, 3, 10);
    run();
    assertThat(data.get(ValueLayout.JAVA_BYTE, 9)).isEqualTo((byte) 3);
    assertThat(completions()).isEmpty();
  }

  @Test
  @Tag("DDP-7.1-04")
  void shouldHoldMessagesUntilThereIsAReceiveOrANotice() throws Exception {
    connect(HELD, 1);
    peer.untagged(true, 1, 1, 1, 0, 6, 6);
    peer.tagged(true, 2, stag, 0, 7, 7);
    peer.untagged(true, 3, 2, 1, 0, 8, 8);
    run();
    receive(3, 2, 300, 8);
    notice(2);
    run();
    assertThat(completions()).isEmpty();
    receive(1, 1, 100, 6);
    run();
    assertThat(completions())
        .containsExactly(
            "1 SUCCESS 6 octets QN 1 MSN 1 ULP 1",
            "2 SUCCESS 7 octets STag ours TO 0 ULP 2",
            "3 SUCCESS 8 octets QN 2 MSN 1 ULP 3");

    peer.tagged(true, 4, stag, 0, 9, 9);
    peer.untagged(true, 5, 2, 2, 0, 1, 1);
    run();
    receive(5, 2, 300, 8);
    run();
    assertThat(completions()).as("behind the one that waits for a notice").isEmpty();
    notice(4);
    run();
    assertThat(completions()).hasSize(2);
    assertThat(events).noneMatch(DaemonMessage.StreamFailed.class::isInstance);
  }

  // ---- What is wrong ----

  @Test
  @Tag("DDP-7.1-01")
  @Tag("DDP-7.1-17")
  @Tag("DDP-7.2-01")
  void shouldReportAQueueThatIsNot() throws Exception {
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
    assertThat(fixture.engine.ddp().counters().segmentsRefused()).isEqualTo(1);
    assertThat(fixture.engine.ddp().counters().segmentsDropped()).isEqualTo(1);
    send(2, WorkRequest.SIGNALLED, 2, 4, 0x99);
    send(3, WorkRequest.SIGNALLED, 2, 4, 0x99);
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

  // ---- What goes ----

  @Test
  @Tag("DDP-4.2-02")
  @Tag("DDP-4.3-02")
  @Tag("DDP-4.3-06")
  void shouldSendWhatTheProgramPutsIntoTheHeaders() throws Exception {
    connect(0, 0);
    receive(1, 0, 0, 0);
    peer.untagged(true, 0, 0, 1, 0, 0, 0);
    run();
    completions();
    data.fill((byte) 0xee);
    send(2, WorkRequest.SIGNALLED, 2, 2, ULP);
    send(3, 0, 0, 0, 0xff_ffff_ffffL);
    rings.post(Opcode.SEND_TAGGED, 0, 4, connection, stag, 0, 1, 0x11223344, 0, 0x55667788L, 0xfd);
    PieceList list = new PieceList();
    list.add(stag, 0, 1);
    list.add(stag, 8, 2);
    rings.postList(Opcode.SEND_UNTAGGED, 0, 5, connection, list, 0, 2, 0, 6);
    rings.postList(Opcode.SEND_TAGGED, 0, 6, connection, list, 1, 0, 2, 3);
    rings.postInline(Opcode.SEND_UNTAGGED, 0, 7, connection, data, 0, 3, 0, 2, 0, 1);
    rings.postInline(Opcode.SEND_TAGGED, 1, 8, connection, data, 0, 3, 5, 0, 6, 7);
    run();
    assertThat(completions()).containsExactly("2 SUCCESS 2 octets", "8 SUCCESS 3 octets");
    assertThat(peer.received())
        .containsExactly(
            "41a1b2c3d4e5" + "00000002" + "00000001" + "00000000" + "eeee",
            "41ffffffffff" + "00000000" + "00000001" + "00000000",
            "c1fd" + "11223344" + "0000000055667788" + "ee",
            "010000000006" + "00000002" + "00000002" + "00000000" + "ee",
            "410000000006" + "00000002" + "00000002" + "00000001" + "eeee",
            "8103" + "00000001" + "0000000000000002" + "ee",
            "c103" + "00000001" + "0000000000000003" + "eeee",
            "410000000001" + "00000002" + "00000003" + "00000000" + "eeeeee",
            "c107" + "00000005" + "0000000000000006" + "eeeeee");
  }

  @Test
  @Tag("DDP-6.2.1-04")
  @Tag("DDP-6.2.1-05")
  void shouldGoOnSendingWhenThePeerHasClosedItsHalf() throws Exception {
    connect(0, 0);
    receive(1, 0, 0, 0);
    peer.untagged(true, 0, 0, 1, 0, 0, 0);
    peer.close();
    run();
    assertThat(events).anyMatch(DaemonMessage.PeerClosed.class::isInstance);
    send(2, WorkRequest.SIGNALLED, 2, 2, ULP);
    run();
    assertThat(peer.received()).hasSize(1);
    session.disconnect(connection, true);
    run();
    assertThat(peer.events()).contains("peer closed");
    assertThat(event(DaemonMessage.Closed.class).reason()).isEqualTo(Reason.LOCAL_CLOSE);
  }

  @Test
  @Tag("DDP-6.2.1-02")
  @Tag("DDP-6.2.1-06")
  void shouldGoOnReceivingWhenTheProgramHasClosedItsHalf() throws Exception {
    connect(0, 1);
    session.disconnect(connection, true);
    send(1, 0, 2, 2, ULP);
    receive(2, 0, 0, 10);
    notice(3);
    run();
    assertThat(completions()).containsExactly("1 FLUSHED 0 octets");
    peer.untagged(true, 0, 0, 1, 0, 1, 10);
    run();
    assertThat(completions()).containsExactly("2 SUCCESS 10 octets QN 0 MSN 1 ULP 0");
    peer.close();
    run();
    assertThat(completions()).containsExactly("3 FLUSHED 0 octets STag 0 TO 0 ULP 0");
    assertThat(event(DaemonMessage.Closed.class).reason()).isEqualTo(Reason.LOCAL_CLOSE);
  }

  @Test
  void shouldFlushReceivesAndNoticesOfAConnectionThatTheProgramRejects() throws Exception {
    request(0, 2);
    receive(1, 1, 0, 10);
    notice(2);
    session.reject(connection, new byte[0]);
    run();
    assertThat(completions())
        .containsExactly(
            "1 FLUSHED 0 octets QN 1 MSN 0 ULP 0", "2 FLUSHED 0 octets STag 0 TO 0 ULP 0");
    assertThat(peer.events()).contains("rejected");
  }

  @Test
  void shouldGiveUpAnUnansweredConnectionThatIsLost() throws Exception {
    request(0, 2);
    notice(2);
    peer.abort();
    run();
    assertThat(event(DaemonMessage.Failed.class).connection()).isEqualTo(connection);
    assertThat(events).noneMatch(DaemonMessage.StreamFailed.class::isInstance);
    assertThat(completions()).hasSize(1);
  }

  // ---- What a program may not ----

  @ParameterizedTest
  @ValueSource(ints = {QUEUES, 256, -1, Integer.MIN_VALUE})
  void shouldRefuseRequestsForAQueueThatIsNot(int qn) throws Exception {
    connect(0, 0);
    receive(1, qn, 0, 10);
    send(2, 0, qn, 1, 0);
    PieceList list = new PieceList();
    list.add(stag, 0, 1);
    rings.postList(Opcode.RECEIVE_UNTAGGED, 0, 3, connection, list, 0, qn, 0, 0);
    rings.postList(Opcode.SEND_UNTAGGED, 0, 4, connection, list, 0, qn, 0, 0);
    run();
    assertThat(completions())
        .containsExactly(
            "1 LOCAL_OPERATION_ERROR 0 octets QN " + qn + " MSN 0 ULP 0",
            "2 LOCAL_OPERATION_ERROR 0 octets",
            "3 LOCAL_OPERATION_ERROR 0 octets QN " + qn + " MSN 0 ULP 0",
            "4 LOCAL_OPERATION_ERROR 0 octets");
    receive(5, 0, 0, 10);
    run();
    peer.untagged(true, 0, 0, 1, 0, 1, 10);
    run();
    assertThat(completions()).as("all is well otherwise").hasSize(1);
  }

  @Test
  void shouldRefuseMoreThanAQueueHolds() throws Exception {
    connect(0, 1);
    receive(1, 2, 0, 10);
    receive(2, 2, 0, 10);
    notice(3);
    notice(4);
    run();
    assertThat(completions())
        .containsExactly(
            "2 LOCAL_OPERATION_ERROR 0 octets QN 2 MSN 0 ULP 0",
            "4 LOCAL_OPERATION_ERROR 0 octets STag 0 TO 0 ULP 0");
  }

  @Test
  void shouldRefuseMemoryThatMayNotBeUsed() throws Exception {
    connect(0, 0);
    receive(1, 0, 4090, 10);
    int readable = session.register(data.address(), 64, 0, 0);
    rings.post(Opcode.RECEIVE_UNTAGGED, 0, 2, connection, readable, 0, 1, 0, 0, 0, 0);
    rings.post(Opcode.SEND_TAGGED, 0, 3, connection, readable, 60, 5, 1, 0, 1, 0);
    run();
    assertThat(completions())
        .containsExactly(
            "1 LOCAL_PROTECTION_ERROR 0 octets QN 0 MSN 0 ULP 0",
            "2 LOCAL_PROTECTION_ERROR 0 octets QN 0 MSN 0 ULP 0",
            "3 LOCAL_PROTECTION_ERROR 0 octets");
  }

  @Test
  void shouldRefuseWhatIsRdmaps() throws Exception {
    connect(0, 0);
    for (int opcode = Opcode.RECEIVE; opcode <= Opcode.SEND_IMMEDIATE; opcode++) {
      rings.post(opcode, 0, opcode, connection, stag, 0, 0, 0, 0);
    }
    rings.postAtomic(Opcode.FETCH_ADD, 0, 7, connection, stag, 0, 0, 0, 0, 0, 0, 0);
    PieceList list = new PieceList();
    list.add(stag, 0, 1);
    rings.postList(Opcode.SEND, 0, 8, connection, list, 0, 0);
    run();
    assertThat(completions())
        .hasSize(8)
        .allMatch(completion -> completion.contains(" LOCAL_OPERATION_ERROR "));
  }

  @Test
  void shouldRefuseRequestsOfPlainDdpWhereRdmapIsSpoken() throws Exception {
    stag = session.register(data.address(), REGION, Access.bits(Access.LOCAL_WRITE), 0);
    connection = fixture.connect(ConnectionSettings.RDMAP);
    receive(1, 0, 0, 10);
    send(2, 0, 0, 10, 0);
    notice(3);
    rings.post(Opcode.SEND_TAGGED, 0, 4, connection, stag, 0, 1, 1, 0, 1, 0);
    PieceList list = new PieceList();
    list.add(stag, 0, 1);
    rings.postList(Opcode.RECEIVE_UNTAGGED, 0, 5, connection, list, 0, 0, 0, 0);
    rings.postList(Opcode.SEND_UNTAGGED, 0, 6, connection, list, 0, 0, 0, 0);
    rings.postList(Opcode.SEND_TAGGED, 0, 7, connection, list, 0, 0, 0, 0);
    session.takeRequests(16);
    assertThat(completions())
        .hasSize(7)
        .allMatch(completion -> completion.contains(" LOCAL_OPERATION_ERROR "));
  }

  @Test
  void shouldRefuseSettingsThatCannotBe() {
    refuses(Reason.INVALID, new ConnectionSettings(0, 0, List.of(1, 0)));
    refuses(Reason.INVALID, new ConnectionSettings(0, 0, List.of(-1)));
    refuses(Reason.LIMIT, new ConnectionSettings(0, 0, List.of(8, 9)));
    refuses(Reason.LIMIT, new ConnectionSettings(0, 0, List.of(Integer.MAX_VALUE, 3)));
    refuses(Reason.LIMIT, new ConnectionSettings(0, 17, List.of(1)));
    refuses(Reason.LIMIT, new ConnectionSettings(0, -1, List.of(1)));
    refuses(Reason.LIMIT, new ConnectionSettings(HELD + 1, 0, List.of(1)));
  }

  private void refuses(Reason reason, ConnectionSettings settings) {
    assertThatThrownBy(() -> session.listen(SessionFixture.PORT, 1, settings))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    assertThatThrownBy(() -> fixture.connect(settings)).isInstanceOf(RefusedException.class);
  }
}
