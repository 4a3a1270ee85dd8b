package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.WorkRequest;

/** What goes and comes where the program is the ULP of its connection. */
class PlainDdpStreamTest extends PlainDdpConnection {
  @Test
  @Tag("DDP-4.3-03")
  @Tag("DDP-5.4-03")
  @Tag("DDP-5.3-06")
  void shouldDeliverTheMessagesOfEveryQueueWithTheirRsvdUlp() throws Exception {
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
  void shouldReportTaggedMessagesInOrder() throws Exception {
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
  void shouldPlaceTaggedMessagesUnreportedWithoutNotices() throws Exception {
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

  @Test
  @Tag("DDP-4.2-02")
  @Tag("DDP-4.3-02")
  @Tag("DDP-4.3-06")
  void shouldSendTheProgramsRsvdUlp() throws Exception {
    connect(0, 0);
    receive(1, 0, 0, 0);
    peer.untagged(true, 0, 0, 1, 0, 0, 0);
    run();
    completions();
    data.fill((byte) 0xee);
    send(2, SendFlags.SIGNALLED, 2, 2, ULP);
    send(3, 0, 0, 0, 0xff_ffff_ffffL);
    rings
        .claim(1)
        .begin(Opcode.SEND_TAGGED, 0, 4, connection)
        .memory(stag, 0, 1)
        .remote(0x11223344, 0x55667788L)
        .immediate(0xfd)
        .submit();
    StagPieces list = new StagPieces();
    list.add(stag, 0, 1);
    list.add(stag, 8, 2);
    rings
        .claim(list.slots())
        .begin(Opcode.SEND_UNTAGGED, 0, 5, connection)
        .memory(list)
        .queue(2)
        .immediate(6)
        .submit();
    rings
        .claim(list.slots())
        .begin(Opcode.SEND_TAGGED, 0, 6, connection)
        .memory(list)
        .remote(1, 2)
        .immediate(3)
        .submit();
    rings
        .claim(WorkRequest.slotsForInline(3))
        .begin(Opcode.SEND_UNTAGGED, 0, 7, connection)
        .inline(data, 0, 3)
        .queue(2)
        .immediate(1)
        .submit();
    rings
        .claim(WorkRequest.slotsForInline(3))
        .begin(Opcode.SEND_TAGGED, 1, 8, connection)
        .inline(data, 0, 3)
        .remote(5, 6)
        .immediate(7)
        .submit();
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
    send(2, SendFlags.SIGNALLED, 2, 2, ULP);
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
}
