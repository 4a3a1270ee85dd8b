package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;

/** Requests whose connections are prefetched before they are taken. */
class RequestPrefetchTest {
  private final SessionFixture fixture = new SessionFixture();
  private final Session session = fixture.session;
  private final RequestPrefetch prefetch = fixture.engine.prefetch();

  private int establish() throws RequestRefusedException {
    SessionFixture.Peer peer = fixture.peer();
    int connection = fixture.requested();
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[0]);
    fixture.run();
    // The Responder may send once it has received something.
    peer.stream.postWrite(new StreamRequest(0).memory(fixture.data.address(), 0).remote(7, 0));
    fixture.run();
    return connection;
  }

  private void post(int id, int connection, int region) {
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.WRITE, SendFlags.SIGNALLED, id, connection)
                .memory(region, 0, 0)
                .submit())
        .isTrue();
  }

  private void listen() throws RequestRefusedException {
    session.listen(Ipv6Address.UNSPECIFIED, SessionFixture.PORT, 8, ConnectionSettings.RDMAP);
  }

  @Test
  void shouldTakeRequestsAfterwardsAsWithout() throws RequestRefusedException {
    listen();
    int first = establish();
    int second = establish();
    int region = fixture.register(Access.LOCAL_WRITE);
    post(1, first, region);
    post(2, second, region);
    post(3, second, region);
    post(4, 77, region);
    session.intake().prefetch();
    assertThat(prefetch.sum()).isNotZero();
    fixture.run();
    assertThat(fixture.completions())
        .containsExactlyInAnyOrder(
            "write 1 SUCCESS", "write 2 SUCCESS", "write 3 SUCCESS", "write 4 FLUSHED");
  }

  @Test
  void shouldBearConnectionsThatAreNotEstablished() throws RequestRefusedException {
    listen();
    fixture.peer();
    int waiting = fixture.requested();
    int asking = fixture.connect(ConnectionSettings.RDMAP);
    int region = fixture.register(Access.LOCAL_WRITE);
    post(1, waiting, region);
    post(2, asking, region);
    session.intake().prefetch();
    assertThat(prefetch.sum()).isNotZero();
    assertThat(session.connectionCount()).isEqualTo(2);
  }

  @Test
  void shouldLeaveASingleRequestAlone() throws RequestRefusedException {
    listen();
    int connection = establish();
    session.intake().prefetch();
    post(1, connection, fixture.register(Access.LOCAL_WRITE));
    session.intake().prefetch();
    assertThat(prefetch.sum()).isZero();
  }

  @Test
  void shouldNotPayForFewConnections() throws RequestRefusedException {
    listen();
    establish();
    assertThat(prefetch.worthwhile()).isFalse();
  }

  @Test
  void shouldAllocateNothing() throws RequestRefusedException {
    listen();
    int connection = establish();
    int region = fixture.register(Access.LOCAL_WRITE);
    post(1, connection, region);
    post(2, connection, region);
    session.intake().prefetch();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    session.intake().prefetch();
    assertThat(threads.getCurrentThreadAllocatedBytes()).isEqualTo(before);
  }
}
