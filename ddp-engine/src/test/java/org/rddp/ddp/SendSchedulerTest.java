package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.ddp.sending.SendScheduler;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** How much the streams of an engine send in a call. */
class SendSchedulerTest {
  private static final int WRITE = 0x40;

  /** Segments of the long messages. */
  private static final int LONG = 400;

  /** What a tagged segment of 1448 octets of EMSS carries. */
  private static final int PAYLOAD = 1442 - 14;

  private static final int SEGMENTS_OF_A_QUANTUM = 2;

  /** EMSS with an MTU of 9000, and what a tagged segment of it carries. */
  private static final int LARGE_EMSS = 8948;

  private static final int LARGE_PAYLOAD = LARGE_EMSS - 6 - 14;

  private final GuardedMemory memory = new GuardedMemory(LONG * PAYLOAD);
  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(1, new Random(1)));
  private final List<DdpStream> streams = new ArrayList<>();
  private final List<RecordingUlp> users = new ArrayList<>();
  private final List<RawUlpduPeer> peers = new ArrayList<>();
  private final List<InMemoryTcpPair> connections = new ArrayList<>();

  @BeforeEach
  void connect() {
    connect(DdpFixture.EMSS);
  }

  private void connect(int emss) {
    streams.clear();
    users.clear();
    peers.clear();
    connections.clear();
    DdpSettings settings = new DdpSettings(64, 1, List.of(QueueSettings.buffered(1)));
    for (int i = 0; i < 3; i++) {
      RawUlpduPeer peer = RawUlpduPeer.responder();
      RecordingUlp user = new RecordingUlp();
      DdpStream stream = user.initiator(engine, new ProtectionDomain("p"), settings, new byte[0]);
      InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, peer.transport(), emss);
      tcp.run(() -> {});
      streams.add(stream);
      users.add(user);
      peers.add(peer);
      connections.add(tcp);
    }
  }

  private void post(int stream, int segments) {
    postOctets(stream, (long) segments * PAYLOAD);
  }

  private void postOctets(int stream, long octets) {
    assertThat(
            streams
                .get(stream)
                .postTagged(
                    0, WRITE, new StreamRequest().memory(memory.address(), octets).remote(7, 0)))
        .isTrue();
  }

  /** Sends at most so many segments; how many of them each stream's peer got. */
  private List<Integer> turn(int limit) {
    List<Integer> before = peers.stream().map(peer -> peer.received().size()).toList();
    int sent = engine.send(limit);
    connections.forEach(tcp -> tcp.run(() -> {}));
    List<Integer> got = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      got.add(peers.get(i).received().size() - before.get(i));
    }
    assertThat(got.stream().mapToInt(each -> each).sum()).isEqualTo(sent);
    return got;
  }

  @Test
  void shouldServeStreamsRoundRobin() {
    int share = SendScheduler.SHARE;
    post(0, 40);
    post(1, 40);
    post(2, 40);
    assertThat(turn(2 * share + 3)).containsExactly(share, share, 3);
    assertThat(turn(64)).containsExactly(40 - share, 40 - share, share);
  }

  @Test
  void shouldServeCaughtUpStreamsFirst() {
    post(0, LONG);
    assertThat(turn(4)).containsExactly(4, 0, 0);
    post(1, 1);
    post(2, 2);
    assertThat(turn(3)).containsExactly(SEGMENTS_OF_A_QUANTUM, 1, 2);
  }

  @Test
  void shouldSendAQuantumOfABackloggedStreamWhileContended() {
    post(0, LONG);
    turn(4);
    post(1, 1);
    turn(64);
    int sent = 0;
    List<Integer> got = turn(64);
    while (got.get(0) == SEGMENTS_OF_A_QUANTUM) {
      sent += SEGMENTS_OF_A_QUANTUM;
      got = turn(64);
    }
    assertThat(sent).isEqualTo(SendScheduler.CONTENDED_SEGMENTS - SEGMENTS_OF_A_QUANTUM);
    assertThat(got).as("alone again").containsExactly(64, 0, 0);
  }

  @Test
  void shouldSendALongerQuantumInATrain() {
    connections.get(0).sendTrains();
    post(0, LONG);
    turn(4);
    post(1, 1);
    int train = SendScheduler.JOINED_QUANTUM / PAYLOAD;
    assertThat(turn(64)).containsExactly(train, 1, 0);
    assertThat(turn(64)).containsExactly(train, 0, 0);
  }

  @Test
  void shouldSendOneLargeSegmentInATrain() {
    connect(LARGE_EMSS);
    connections.get(0).sendTrains();
    postOctets(0, 20L * LARGE_PAYLOAD);
    assertThat(turn(4)).containsExactly(4, 0, 0);
    post(1, 1);
    assertThat(turn(64)).as("two would be more than the quantum").containsExactly(1, 1, 0);
  }

  @Test
  void shouldEndTheQuantumWithTheTrain() {
    connections.get(0).sendTrains();
    int segments = 3;
    int leavesTooLittle = 2 * PAYLOAD + PAYLOAD - 100;
    for (int i = 0; i < 20; i++) {
      postOctets(0, leavesTooLittle);
    }
    turn(segments);
    post(1, 1);
    assertThat(turn(64)).as("a message ends its frame").containsExactly(segments, 1, 0);
    assertThat(turn(64)).containsExactly(segments, 0, 0);
  }

  @Test
  void shouldFillTheFrameOfTheLastSegment() {
    connections.get(0).sendTrains();
    int frame = 16_384 / DdpFixture.EMSS;
    post(0, LONG);
    assertThat(turn(4)).containsExactly(frame, 0, 0);
    assertThat(turn(frame + 1)).containsExactly(2 * frame, 0, 0);
  }

  @Test
  void shouldServeOneBackloggedStreamInACallWhileContended() {
    post(0, LONG);
    post(1, LONG);
    turn(32);
    post(2, 1);
    assertThat(turn(64)).containsExactly(SEGMENTS_OF_A_QUANTUM, 0, 1);
    assertThat(turn(64)).containsExactly(0, SEGMENTS_OF_A_QUANTUM, 0);
    assertThat(turn(64)).containsExactly(SEGMENTS_OF_A_QUANTUM, 0, 0);
  }

  @Test
  void shouldNotBeContendedByOneStreamAlone() {
    for (int i = 0; i < 3; i++) {
      post(0, 40);
      assertThat(turn(64)).containsExactly(40, 0, 0);
      post(0, 1);
      assertThat(turn(64)).containsExactly(1, 0, 0);
    }
  }

  @Test
  void shouldForgetABackloggedStreamThatHasEnded() {
    post(0, LONG);
    turn(4);
    connections.get(0).cut();
    post(1, 1);
    assertThat(turn(64)).containsExactly(0, 1, 0);
    post(2, 40);
    assertThat(turn(64)).containsExactly(0, 0, 40);
  }

  @Test
  void shouldServeTheNextBackloggedStreamInPlaceOfAnEndedOne() {
    post(0, LONG);
    post(1, LONG);
    turn(32);
    post(2, 1);
    turn(64);
    connections.get(1).cut();
    assertThat(turn(64)).containsExactly(SEGMENTS_OF_A_QUANTUM, 0, 0);
  }

  @Test
  void shouldNotBeContendedByAStreamThatWaitsForAWindow() {
    post(0, LONG);
    turn(4);
    connections.get(0).setWindow(0);
    post(1, 1);
    post(2, 40);
    assertThat(turn(64)).containsExactly(0, 1, 40);
    post(0, 1);
    post(1, 1);
    post(2, 40);
    assertThat(turn(64)).as("more of what waits").containsExactly(0, 1, 40);
    connections.get(0).setWindow(64);
    post(1, 1);
    assertThat(turn(64)).as("alone until it is told").containsExactly(0, 1, 0);
    post(1, 1);
    assertThat(turn(64)).containsExactly(SEGMENTS_OF_A_QUANTUM, 1, 0);
  }

  @Test
  void shouldServeABackloggedStreamBehindOneThatWaitsThoughOthersFillTheCalls() {
    post(0, LONG);
    post(1, LONG);
    turn(32);
    connections.get(0).setWindow(0);
    post(0, 1);
    for (int i = 0; i < 3; i++) {
      post(2, 1);
      assertThat(turn(1)).containsExactly(0, 1, 1);
    }
  }

  @Test
  void shouldNotBeContendedByAMessageThatMayNotStart() {
    users.get(0).mayStart = false;
    post(0, LONG);
    turn(4);
    post(0, 1);
    post(1, 1);
    post(2, 40);
    assertThat(turn(64)).containsExactly(0, 1, 40);
    users.get(0).mayStart = true;
    streams.get(0).sender().wake();
    post(1, 1);
    assertThat(turn(64)).containsExactly(SEGMENTS_OF_A_QUANTUM, 1, 0);
  }

  @Test
  void shouldMeasureAQuantumInOctets() {
    int octets = 256;
    post(0, LONG);
    turn(4);
    post(2, 1);
    turn(64);
    for (int i = 0; i < 40; i++) {
      postOctets(1, octets);
    }
    assertThat(turn(64)).containsExactly(SEGMENTS_OF_A_QUANTUM, SendScheduler.QUANTUM / octets, 0);
  }
}
