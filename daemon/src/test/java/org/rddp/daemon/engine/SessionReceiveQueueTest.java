package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.wire.Memory;

/** Shared receive queues of a program that writes its rings by itself. */
class SessionReceiveQueueTest {
  private static final int SIZE = 4;

  private final SessionFixture fixture = new SessionFixture();
  private final Session session = fixture.session;
  private final long data = Memory.allocate(64);
  private SessionListener listener;
  private int queue;
  private int region;

  @BeforeEach
  void listen() throws RequestRefusedException {
    queue = session.createReceiveQueue(SIZE);
    listener = session.listen(Ipv6Address.UNSPECIFIED, SessionFixture.PORT, 8, settings(queue));
    region = fixture.register(Access.LOCAL_WRITE);
  }

  private static ConnectionSettings settings(int queue) {
    return new ConnectionSettings(0, 0, List.of(), queue);
  }

  private SessionFixture.Peer connect() throws RequestRefusedException {
    SessionFixture.Peer peer = fixture.peer();
    session.accept(fixture.requested(), AcceptSettings.DEFAULTS, new byte[0]);
    fixture.run();
    return peer;
  }

  private void post(int id, int to, int stag, long offset, long length, int shared) {
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.RECEIVE, 0, id, to)
                .memory(stag, offset, length)
                .remote(shared, 0)
                .submit())
        .isTrue();
  }

  @Test
  void shouldRefuseInvalidReceives() throws RequestRefusedException {
    connect();
    int connection = fixture.requested();
    post(1, 0, region, 0, 64, queue + 1);
    post(2, 0, region, 0, 64, 0);
    post(3, 0, region + 1, 0, 64, queue);
    post(4, 0, region, fixture.data.byteSize(), 1, queue);
    post(5, connection, region, 0, 64, queue);
    post(6, connection + 1, region, 0, 64, queue);
    int readOnly = fixture.register();
    post(7, 0, readOnly, 0, 64, queue);
    for (int i = 0; i <= SIZE; i++) {
      post(10 + i, 0, region, 0, 64, queue);
    }
    fixture.run();
    assertThat(fixture.completions())
        .containsExactly(
            "receive 1 LOCAL_OPERATION_ERROR",
            "receive 2 LOCAL_OPERATION_ERROR",
            "receive 3 LOCAL_PROTECTION_ERROR",
            "receive 4 LOCAL_PROTECTION_ERROR",
            "receive 5 LOCAL_OPERATION_ERROR",
            "receive 6 FLUSHED",
            "receive 7 LOCAL_PROTECTION_ERROR",
            "receive 14 LOCAL_OPERATION_ERROR");
    assertThat(fixture.broken).isEmpty();
    session.closeListener(listener.number());
    session.disconnect(connection, false);
    fixture.run();
    session.destroyReceiveQueue(queue);
    assertThat(fixture.completions())
        .containsExactly(
            "receive 10 FLUSHED", "receive 11 FLUSHED", "receive 12 FLUSHED", "receive 13 FLUSHED");
    assertThat(session.memory().region(region).uses()).isZero();
  }

  @Test
  void shouldRefuseUnknownQueues() {
    assertThatThrownBy(() -> session.listen(Ipv6Address.UNSPECIFIED, 99, 1, settings(queue + 1)))
        .hasMessageContaining("no such receive queue");
    assertThatThrownBy(
            () -> session.connect(new Ipv4Address(1), 1, new byte[0], 1, settings(12345)))
        .hasMessageContaining("no such receive queue");
    assertThatThrownBy(() ->
            session.listen(
                Ipv6Address.UNSPECIFIED, 99, 1, new ConnectionSettings(0, 0, List.of(1), queue)))
        .hasMessageContaining("RDMAP");
    assertThatThrownBy(() -> session.armReceiveQueue(queue + 1, 1))
        .hasMessageContaining("no such receive queue");
    assertThatThrownBy(() -> session.armReceiveQueue(queue, -1)).hasMessageContaining("limit");
    assertThatThrownBy(() -> session.destroyReceiveQueue(0)).hasMessageContaining("no such");
  }

  @Test
  void shouldNotBeDestroyedWhileInUse() throws RequestRefusedException {
    assertThatThrownBy(() -> session.destroyReceiveQueue(queue))
        .hasMessageContaining("1 connections or listeners");
    SessionFixture.Peer peer = connect();
    session.closeListener(listener.number());
    assertThatThrownBy(() -> session.destroyReceiveQueue(queue))
        .hasMessageContaining("1 connections or listeners");
    peer.stream.abort();
    fixture.run();
    assertThat(session.destroyReceiveQueue(queue)).isEqualTo(SIZE);
  }

  /** One that the program never hears of, one that it rejects, and one that fails at once. */
  @Test
  void shouldBeReleasedByConnectionsThatWereNotEstablished() throws RequestRefusedException {
    fixture.peer();
    session.reject(fixture.requested(), new byte[0]);
    int connecting =
        session.connect(
            new Ipv4Address(0x0a00004d), 9, new byte[0], 1_000_000_000L, settings(queue));
    session.disconnect(connecting, false);
    session.closeListener(listener.number());
    fixture.run();
    assertThat(session.destroyReceiveQueue(queue)).isEqualTo(SIZE);
  }

  @Test
  void shouldBeReleasedByConnectionsThatCouldNotBeOpened() throws RequestRefusedException {
    session.closeListener(listener.number());
    assertThatThrownBy(() ->
            session.connect(
                new Ipv4Address(0x0a00004d), 9, new byte[513], 1_000_000_000L, settings(queue)))
        .isInstanceOf(RequestRefusedException.class);
    assertThat(session.destroyReceiveQueue(queue)).isEqualTo(SIZE);
  }

  @Test
  void shouldTakeReceivesThatWerePostedJustNow() throws RequestRefusedException {
    SessionFixture.Peer one = connect();
    SessionFixture.Peer two = connect();
    post(1, 0, region, 0, 64, queue);
    post(2, 0, region, 64, 64, queue);
    one.stream.postSend(new StreamRequest(1).memory(data, 8));
    two.stream.postSend(new StreamRequest(1).memory(data, 8));
    fixture.run();
    assertThat(fixture.completions()).containsExactly("receive 1 SUCCESS", "receive 2 SUCCESS");
  }

  @Test
  @Tag("RDMAP-8.1.2-08")
  @Tag("DDP-8.3.2-06")
  void shouldTellOfTheLimitOnce() throws RequestRefusedException {
    SessionFixture.Peer peer = connect();
    post(1, 0, region, 0, 64, queue);
    post(2, 0, region, 0, 64, queue);
    session.armReceiveQueue(queue, 2);
    peer.stream.postSend(new StreamRequest(1).memory(data, 8));
    peer.stream.postSend(new StreamRequest(2).memory(data, 8));
    fixture.run();
    assertThat(fixture.events)
        .filteredOn(DaemonMessage.ReceiveQueueLimit.class::isInstance)
        .containsExactly(new DaemonMessage.ReceiveQueueLimit(queue));
  }

  /** Whatever it writes, each request ends once, and nothing of the engine breaks. */
  @Test
  void shouldSurviveProgramsThatPostAnything() throws RequestRefusedException {
    SessionFixture.Peer peer = connect();
    Random random = new Random(9);
    int posted = 0;
    int ended = 0;
    for (int i = 0; i < 3000; i++) {
      int to = random.nextInt(4) == 0 ? random.nextInt() : 0;
      int shared = random.nextInt(4) == 0 ? random.nextInt() : queue;
      int stag = random.nextInt(4) == 0 ? random.nextInt() : region;
      long offset = random.nextInt(70_000);
      SubmissionEntry entry = fixture.rings.claim(1);
      if (entry != null) {
        entry.begin(Opcode.RECEIVE, 0, i, to).memory(stag, offset, 9).remote(shared, 0).submit();
        posted++;
      }
      if (random.nextInt(8) == 0) {
        peer.stream.postSend(new StreamRequest(i).memory(data, random.nextInt(12)));
        fixture.run();
        ended += fixture.completions().size();
      }
    }
    session.closeListener(listener.number());
    peer.stream.abort();
    fixture.run();
    session.destroyReceiveQueue(queue);
    ended += fixture.completions().size();
    assertThat(ended).isEqualTo(posted);
    assertThat(fixture.broken).isEmpty();
    assertThat(session.memory().region(region).uses()).isZero();
  }
}
