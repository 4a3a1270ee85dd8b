package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.mpa.MpaSettings;

/** Connections whose Sends and Writes complete when TCP has them acknowledged. */
class AcknowledgedConnectionTest {
  private static final ConnectionSettings ACKNOWLEDGED =
      ConnectionSettings.RDMAP.withAcknowledged(true);

  /** The octets of RsvdULP that make an Untagged Message a Send. */
  private static final long SEND = 0x43_0000_0000L;

  private final SessionFixture fixture = new SessionFixture();
  private final SessionFixture.Peer peer = fixture.accepting(MpaSettings.DEFAULTS);
  private final int stag = fixture.register(Access.LOCAL_WRITE);
  private int connection;

  private void connect(ConnectionSettings settings) throws RequestRefusedException {
    fixture.peers(peer.startup);
    connection = fixture.connect(settings);
    fixture.run();
  }

  private void postSend(int id) {
    peer.stream.postReceive(new StreamRequest(id).memory(fixture.data.address() + 1024, 64));
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.SEND, SendFlags.SIGNALLED, id, connection)
                .memory(stag, 0, 64)
                .submit())
        .isTrue();
  }

  private List<Reason> closed() {
    return fixture.events.stream()
        .filter(DaemonMessage.Closed.class::isInstance)
        .map(event -> ((DaemonMessage.Closed) event).reason())
        .toList();
  }

  @Test
  void shouldCompleteASendThatIsAcknowledged() throws RequestRefusedException {
    connect(ACKNOWLEDGED);
    postSend(1);
    fixture.runAlone();
    assertThat(fixture.completions()).isEmpty();
    fixture.run();
    assertThat(fixture.completions()).containsExactly("send 1 SUCCESS");
  }

  @Test
  void shouldCompleteASendThatIsSentByDefault() throws RequestRefusedException {
    connect(ConnectionSettings.RDMAP);
    postSend(1);
    fixture.runAlone();
    assertThat(fixture.completions()).containsExactly("send 1 SUCCESS");
  }

  @Test
  void shouldCompleteAMessageOfPlainDdpThatIsAcknowledged() throws RequestRefusedException {
    connect(new ConnectionSettings(0, 0, List.of(4)).withAcknowledged(true));
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.SEND_UNTAGGED, SendFlags.SIGNALLED, 1, connection)
                .memory(stag, 0, 64)
                .queue(0)
                .immediate(SEND)
                .submit())
        .isTrue();
    peer.stream.postReceive(new StreamRequest(1).memory(fixture.data.address() + 1024, 64));
    fixture.runAlone();
    assertThat(fixture.completions()).isEmpty();
    fixture.run();
    assertThat(fixture.completions()).containsExactly("untagged send 1 SUCCESS");
  }

  @Test
  void shouldCompleteWhatWasPostedBeforeAGracefulEnd() throws RequestRefusedException {
    connect(ACKNOWLEDGED);
    postSend(1);
    postSend(2);
    fixture.runAlone();
    fixture.session.disconnect(connection, true);
    fixture.runAlone();
    assertThat(fixture.completions()).isEmpty();
    fixture.run();
    peer.stream.close();
    fixture.run();
    assertThat(fixture.completions()).containsExactly("send 1 SUCCESS", "send 2 SUCCESS");
    assertThat(closed()).containsExactly(Reason.LOCAL_CLOSE);
  }

  @Test
  void shouldFlushWhatThePeerHasNotAcknowledgedWhenItResets() throws RequestRefusedException {
    connect(ACKNOWLEDGED);
    postSend(1);
    fixture.runAlone();
    peer.stream.abort();
    fixture.run();
    assertThat(fixture.completions()).containsExactly("send 1 FLUSHED");
    assertThat(closed()).containsExactly(Reason.RESET);
  }
}
