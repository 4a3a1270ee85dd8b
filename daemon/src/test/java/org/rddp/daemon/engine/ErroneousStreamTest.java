package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;

/** The end of a stream that has failed (RFC 5040 section 7). */
class ErroneousStreamTest {
  private static final int RDMA_WRITE = 0x40;
  private static final long THREE_SECONDS = 3_000_000_000L;

  private final SessionFixture fixture = new SessionFixture();
  private final MpaPeer peer = new MpaPeer();

  @Test
  @Tag("RDMAP-7-01")
  void shouldTransferNothingAndGoThoughThePeerNeverCloses() throws RequestRefusedException {
    fixture.session.listen(
        Ipv6Address.UNSPECIFIED, SessionFixture.PORT, 8, ConnectionSettings.RDMAP);
    fixture.connect(peer.transport());
    fixture.session.accept(fixture.requested(), AcceptSettings.DEFAULTS, new byte[0]);
    fixture.run();
    int stag = fixture.register(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    peer.tagged(true, RDMA_WRITE, stag + 1, 0, 1, 4);
    peer.tagged(true, RDMA_WRITE, stag, 0, 2, 4);
    fixture.run();
    assertThat(peer.received()).singleElement().asString().startsWith("4147");
    assertThat(peer.events()).contains("peer closed");
    peer.tagged(true, RDMA_WRITE, stag, 0, 3, 4);
    fixture.run();
    assertThat(fixture.data.get(ValueLayout.JAVA_INT, 0)).isZero();
    assertThat(fixture.engine.tcp().connections()).isOne();

    fixture.pass(THREE_SECONDS);
    fixture.run();
    assertThat(fixture.engine.tcp().connections()).isZero();
    assertThat(fixture.events)
        .filteredOn(DaemonMessage.Closed.class::isInstance)
        .singleElement()
        .extracting(event -> ((DaemonMessage.Closed) event).reason())
        .isEqualTo(Reason.DDP_ERROR);
  }
}
