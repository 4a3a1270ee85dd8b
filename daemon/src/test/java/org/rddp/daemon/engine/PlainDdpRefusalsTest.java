package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.Access;
import org.rddp.client.types.CongestionChoice;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.RequestForm;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.WorkRequest;

/** What a program that is the ULP may not ask for. */
class PlainDdpRefusalsTest extends PlainDdpConnection {
  @ParameterizedTest
  @ValueSource(ints = {QUEUES, 256, -1, Integer.MIN_VALUE})
  void shouldRefuseRequestsForAnUnknownQueue(int qn) throws Exception {
    connect(0, 0);
    receive(1, qn, 0, 10);
    send(2, 0, qn, 1, 0);
    StagPieces list = new StagPieces();
    list.add(stag, 0, 1);
    rings
        .claim(list.slots())
        .begin(Opcode.RECEIVE_UNTAGGED, 0, 3, connection)
        .memory(list)
        .queue(qn)
        .submit();
    rings
        .claim(list.slots())
        .begin(Opcode.SEND_UNTAGGED, 0, 4, connection)
        .memory(list)
        .queue(qn)
        .submit();
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
    assertThat(completions()).as("in the order of the posts").isEmpty();
    session.disconnect(connection, false);
    assertThat(completions())
        .containsExactly(
            "1 FLUSHED 0 octets QN 2 MSN 0 ULP 0",
            "2 LOCAL_OPERATION_ERROR 0 octets QN 2 MSN 0 ULP 0",
            "3 FLUSHED 0 octets STag 0 TO 0 ULP 0",
            "4 LOCAL_OPERATION_ERROR 0 octets STag 0 TO 0 ULP 0");
  }

  @Test
  void shouldRefuseMemoryThatMayNotBeUsed() throws Exception {
    connect(0, 0);
    receive(1, 0, 4090, 10);
    int readable = session.register(data.address(), 64, 0, 0);
    rings.claim(1).begin(Opcode.RECEIVE_UNTAGGED, 0, 2, connection).memory(readable, 0, 1).submit();
    rings
        .claim(1)
        .begin(Opcode.SEND_TAGGED, 0, 3, connection)
        .memory(readable, 60, 5)
        .remote(1, 1)
        .submit();
    run();
    assertThat(completions())
        .containsExactly(
            "1 LOCAL_PROTECTION_ERROR 0 octets QN 0 MSN 0 ULP 0",
            "2 LOCAL_PROTECTION_ERROR 0 octets QN 0 MSN 0 ULP 0",
            "3 LOCAL_PROTECTION_ERROR 0 octets");
  }

  @Test
  void shouldRefuseRequestsOfRdmap() throws Exception {
    connect(0, 0);
    for (int opcode = Opcode.RECEIVE; opcode <= Opcode.IMMEDIATE; opcode++) {
      rings.claim(1).begin(opcode, 0, opcode, connection).memory(stag, 0, 0).submit();
    }
    rings
        .claim(WorkRequest.ATOMIC_SLOTS)
        .begin(Opcode.FETCH_ADD, 0, 7, connection)
        .memory(stag, 0, RequestForm.ATOMIC_OCTETS)
        .operands(0, 0, 0, 0)
        .submit();
    StagPieces list = new StagPieces();
    list.add(stag, 0, 1);
    rings.claim(list.slots()).begin(Opcode.SEND, 0, 8, connection).memory(list).submit();
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
    rings
        .claim(1)
        .begin(Opcode.SEND_TAGGED, 0, 4, connection)
        .memory(stag, 0, 1)
        .remote(1, 1)
        .submit();
    StagPieces list = new StagPieces();
    list.add(stag, 0, 1);
    rings
        .claim(list.slots())
        .begin(Opcode.RECEIVE_UNTAGGED, 0, 5, connection)
        .memory(list)
        .submit();
    rings.claim(list.slots()).begin(Opcode.SEND_UNTAGGED, 0, 6, connection).memory(list).submit();
    rings.claim(list.slots()).begin(Opcode.SEND_TAGGED, 0, 7, connection).memory(list).submit();
    session.intake().take(16);
    assertThat(completions())
        .hasSize(7)
        .allMatch(completion -> completion.contains(" LOCAL_OPERATION_ERROR "));
  }

  @Test
  void shouldRefuseInvalidSettings() {
    refuses(Reason.INVALID, new ConnectionSettings(0, 0, List.of(1, 0)));
    refuses(Reason.INVALID, new ConnectionSettings(0, 0, List.of(-1)));
    refuses(Reason.LIMIT, new ConnectionSettings(0, 0, List.of(8, 9)));
    refuses(Reason.LIMIT, new ConnectionSettings(0, 0, List.of(Integer.MAX_VALUE, 3)));
    refuses(Reason.LIMIT, new ConnectionSettings(0, 17, List.of(1)));
    ConnectionSettings plain = new ConnectionSettings(0, 0, List.of(1));
    refuses(Reason.INVALID, plain.withSendWithImmediate(true));
    refuses(
        Reason.INVALID,
        new ConnectionSettings(
            0,
            0,
            List.of(1),
            0,
            plain.startup(),
            plain.domain(),
            false,
            false,
            4,
            -1,
            CongestionChoice.AS_CONFIGURED));
    refuses(Reason.LIMIT, new ConnectionSettings(0, -1, List.of(1)));
    refuses(Reason.LIMIT, new ConnectionSettings(HELD + 1, 0, List.of(1)));
  }

  private void refuses(Reason reason, ConnectionSettings settings) {
    assertThatThrownBy(
            () -> session.listen(Ipv6Address.UNSPECIFIED, SessionFixture.PORT, 1, settings))
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    assertThatThrownBy(() -> fixture.connect(settings)).isInstanceOf(RequestRefusedException.class);
  }
}
