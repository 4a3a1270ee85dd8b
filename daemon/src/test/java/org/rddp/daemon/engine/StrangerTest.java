package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;

/** A peer's host where something else than a daemon answers queue pairs. */
class StrangerTest {
  private final SessionFixture fixture = new SessionFixture();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldFailAndNameRdmaCm(boolean accepts) throws RequestRefusedException {
    SessionFixture.Peer stranger =
        new SessionFixture.Peer() {
          @Override
          public void onRequest(MpaStartup asked, byte[] privateData) {
            if (accepts) {
              asked.accept(new byte[0]);
            } else {
              asked.reject(new byte[0]);
            }
          }
        };
    fixture.answering(stranger, MpaSettings.DEFAULTS);
    fixture.peersAt(SessionFixture.QUEUE_PAIR_PORT, stranger.startup);
    int number = fixture.numbers.create(fixture.session, 0, 1);
    int connection =
        fixture.session.expect(
            new Expectation(number, SessionFixture.OURS, 77, SessionFixture.THEIRS, 5, 6, 0),
            ConnectionSettings.RDMAP);
    fixture.run();
    fixture.run();
    assertThat(fixture.events).hasSize(1);
    DaemonMessage.Failed failed = (DaemonMessage.Failed) fixture.events.getFirst();
    assertThat(failed.connection()).isEqualTo(connection);
    assertThat(failed.reason()).isEqualTo(Reason.REFUSED);
    assertThat(failed.text())
        .startsWith("port 4794 of 10.0.0.2 answers otherwise")
        .endsWith("connect by rdma_cm");
  }
}
