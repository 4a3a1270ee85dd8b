package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;

/** What becomes of messages that are held for a program that has disconnected. */
class HeldMessagesAtTheEndTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int LENGTH = 100;

  private final SessionFixture fixture = new SessionFixture();
  private final Session session = fixture.session;
  private SessionFixture.Peer peer;
  private int connection;
  private int stag;

  @BeforeEach
  void disconnectBeforeMessagesAreReceived() throws RequestRefusedException {
    session.listen(
        Ipv6Address.UNSPECIFIED,
        SessionFixture.PORT,
        8,
        new ConnectionSettings(4096, 0, List.of()));
    peer = fixture.peer();
    connection = fixture.requested();
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[0]);
    stag = fixture.register(Access.LOCAL_WRITE);
    fixture.run();
    long message = Arena.ofAuto().allocate(LENGTH).address();
    for (int i = 0; i < 3; i++) {
      assertThat(peer.stream.postSend(new StreamRequest(i).memory(message, LENGTH))).isTrue();
    }
    fixture.run();
    session.disconnect(connection, true);
    peer.stream.close();
    fixture.run();
    assertThat(closed()).isEmpty();
  }

  private List<DaemonMessage.Closed> closed() {
    return fixture.events.stream()
        .filter(DaemonMessage.Closed.class::isInstance)
        .map(DaemonMessage.Closed.class::cast)
        .toList();
  }

  private void postReceive(int id) {
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.RECEIVE, 0, id, connection)
                .memory(stag, 0, LENGTH)
                .submit())
        .isTrue();
    fixture.run();
    assertThat(fixture.completions()).containsExactly("receive " + id + " SUCCESS");
  }

  private void pass(long nanos) {
    fixture.pass(nanos);
    fixture.run();
  }

  @Test
  void shouldWaitAsLongAsReceivesArePosted() {
    for (int i = 0; i < 3; i++) {
      pass(9 * SECOND);
      assertThat(closed()).isEmpty();
      postReceive(i);
    }
    assertThat(closed())
        .singleElement()
        .satisfies(end -> assertThat(end.reason()).isEqualTo(Reason.LOCAL_CLOSE));
  }

  @Test
  void shouldReportTheOctetsLostWhenNoReceiveIsPosted() {
    postReceive(1);
    pass(SECOND / 10); // it is seen that this one was taken
    pass(9 * SECOND);
    assertThat(closed()).isEmpty();
    pass(2 * SECOND);
    int segment = 18 + LENGTH;
    assertThat(closed())
        .singleElement()
        .satisfies(end -> {
          assertThat(end.reason()).isEqualTo(Reason.LOCAL_ABORT);
          assertThat(end.text())
              .startsWith(2 * segment + " octets of messages are lost that were held for receives");
        });
  }
}
