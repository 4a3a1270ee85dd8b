package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.WindowKind;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.group.StackGroup;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.snapshot.DamagedSnapshot;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.tcp.testing.StreamHandlerAdapter;

/**
 * Sessions go on in another engine with other rings, memories and addresses, whatever their
 * requests wait for; and no engine goes on from a snapshot that is damaged.
 */
class SessionSnapshotTest {
  private static final int SLOTS = 64;
  private static final int PACKETS = 256;
  private static final int PORT = 7;
  private static final int QUEUE_PAIRS = 4794;
  private static final int NUMBER = 5;
  private static final int STEPS = 60;
  private static final int STEPS_OF_QUEUE_PAIRS = 80;
  private static final long TIMEOUT = 1_000_000_000;
  private static final SessionLimits LIMITS =
      new SessionLimits(SLOTS, 16, 16, WorkRequest.MAX_INLINE, 16, 16, 16, 1 << 20);

  private final LoopedDevice[] link =
      LoopedDevice.pair(
          new NativePacketPool(PACKETS, 1514), new NativePacketPool(PACKETS, 1514), 1500, 64);
  private long now = 1_000_000_000L;

  /** What programs do before a turn. */
  private interface Script {
    void act(int step) throws RequestRefusedException;
  }

  /** A host with one program. */
  private final class Host {
    private final LoopedDevice device;
    private final Ipv4Address address;
    private final MemorySegment ringMemory =
        Arena.ofAuto().allocate(DaemonRings.octets(SLOTS, SLOTS), 64);
    private final MemorySegment held = Arena.ofAuto().allocate(1 << 18, 64);
    private final List<DaemonMessage> events = new ArrayList<>();
    private final List<String> completions = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();
    private final ProgramRings rings;
    private MemorySegment data = Arena.ofAuto().allocate(1 << 14, 64);
    private MemorySegment inline = Arena.ofAuto().allocate(Session.inlineOctets(LIMITS), 64);
    private TcpStack tcp;
    private Engine engine;
    private QueuePairNumbers numbers;
    private Session session;
    private int stag;

    Host(LoopedDevice device, String address) {
      this.device = device;
      this.address = Ipv4Address.parse(address);
      begin();
      introduce();
      session = session();
      engine.begin(session);
      try {
        rings = new ProgramRings(ringMemory, () -> {});
        stag = session.register(data.address(), data.byteSize(), rights(), 0);
      } catch (IOException | RequestRefusedException impossible) {
        throw new AssertionError(impossible);
      }
    }

    private int rights() {
      return Access.bits(
          Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.MW_BIND);
    }

    private void begin() {
      tcp =
          new TcpStack(
              device,
              new InterfaceAddress(address, 24),
              TcpSettings.DEFAULTS,
              new SplittableRandom(address.bits()),
              now);
      engine =
          new Engine(
              "test",
              new InterfaceAddress(address, 24),
              tcp,
              new DdpEngine(new TaggedBuffers(64, new SplittableRandom(3)), new HeldMemory(held)),
              new RdmapSettings(MpaSettings.DEFAULTS, 16, 16, 16, 16, 1 << 16),
              new FaultHandler() {
                @Override
                public void onFault(String where, Throwable cause) {
                  throw new AssertionError(where, cause);
                }

                @Override
                public void onRefused(String detail) {}
              });
    }

    /** Takes peers' queue pairs, as the engines of daemons do. */
    private void introduce() {
      numbers = new QueuePairNumbers(QUEUE_PAIRS, new StackGroup(1), new Random(4), () -> now);
      engine.introduceTo(numbers);
    }

    /** Transfers what the control plane has of queue pairs. */
    private void transferNumbers(Snapshot snapshot) {
      numbers.transfer(snapshot);
      numbers.transfer(snapshot, session);
    }

    private Session session() {
      return new Session(
          NUMBER,
          "program",
          engine,
          LIMITS,
          new DaemonRings(ringMemory, SLOTS, SLOTS),
          inline,
          () -> {},
          new SessionHandler() {
            @Override
            public void send(DaemonMessage message) {
              events.add(message);
            }

            @Override
            public void onBroken(String detail) {
              throw new AssertionError(detail);
            }
          },
          SessionOwner.unlimited(),
          HeapShare.unlimited());
    }

    private List<Memories.Range> programs() {
      return List.of(new Memories.Range(data.address(), data.byteSize()));
    }

    /** Writes all, or TCP alone. */
    byte[] write(boolean all) {
      SnapshotWriter writer = new SnapshotWriter();
      List<TcpConnection> connections = tcp.write(writer);
      if (all) {
        transferNumbers(writer);
        new EngineHandOver(engine, connections, programs(), OwnedStreams.NONE).write(writer);
      }
      return writer.finish();
    }

    void read(byte[] snapshot) {
      read(snapshot, NUMBER);
    }

    void read(byte[] snapshot, int known) {
      SnapshotReader reader = new SnapshotReader(snapshot);
      List<TcpConnection> connections = tcp.read(reader, now);
      introduce();
      session = session();
      transferNumbers(reader);
      new EngineHandOver(engine, connections, programs(), OwnedStreams.NONE)
          .read(reader, number -> number == known ? session : null);
      reader.finish();
    }

    /** Another engine goes on, with the program's memory at another address. */
    void goOn() {
      SnapshotWriter writer = new SnapshotWriter();
      EngineHandOver handOver =
          new EngineHandOver(engine, tcp.write(writer), programs(), OwnedStreams.NONE);
      transferNumbers(writer);
      handOver.write(writer);
      tcp.retire();
      handOver.retire();
      MemorySegment moved = Arena.ofAuto().allocate(data.byteSize(), 64);
      moved.copyFrom(data);
      data.fill((byte) 0x55);
      data = moved;
      inline.fill((byte) 0x55);
      inline = Arena.ofAuto().allocate(inline.byteSize(), 64);
      begin();
      read(writer.finish());
    }

    void turn() {
      int ignored = engine.turn(now);
      PolledCompletion completion = new PolledCompletion();
      while (rings.poll(completion)) {
        completions.add(completion.toString());
      }
      rings.publish();
    }

    /** The number of a connection, in the order in which peers have asked for them. */
    int requested(int which) {
      return events.stream()
          .filter(DaemonMessage.ConnectionRequested.class::isInstance)
          .map(each -> ((DaemonMessage.ConnectionRequested) each).connection())
          .toList()
          .get(which);
    }

    SubmissionEntry begin(int opcode, int flags, long id, int connection) {
      return rings.claim(1).begin(opcode, flags, id, connection);
    }

    void receive(long id, int connection, int queue) {
      assertThat(
              begin(Opcode.RECEIVE, 0, id, connection)
                  .memory(stag, 64 * id, 64)
                  .remote(queue, 0)
                  .submit())
          .isTrue();
    }

    void send(int flags, long id, int connection) {
      assertThat(begin(Opcode.SEND, flags, id, connection).memory(stag, 64 * id, 64).submit())
          .isTrue();
    }

    /** Notes what people see of the session. */
    void look() {
      List<ConnectionStatus> connections = new ArrayList<>();
      assertThat(session.connections(0, 16, connections)).isEqualTo(-1);
      seen.add(connections.toString());
      seen.add(session.listeners().toString());
    }

    /** All that can be seen of the session, but for ports, which each stack draws itself. */
    List<String> outcome() {
      List<String> all = new ArrayList<>(completions);
      events.forEach(event -> all.add(event.toString()));
      all.addAll(seen);
      all.add(session.status().toString());
      all.replaceAll(each -> each.replaceAll("(Port=|[0-9]:)[0-9]+", "$1"));
      all.add(HexFormat.of().formatHex(data.toArray(ValueLayout.JAVA_BYTE)));
      return all;
    }
  }

  private final Host client = new Host(link[0], "10.0.0.1");
  private final Host server = new Host(link[1], "10.0.0.2");
  private int queue;
  private int first;
  private int window;

  /** What the programs do, at some of the steps. */
  private void act(int step) throws RequestRefusedException {
    switch (step) {
      case 0 -> {
        byte[] random = new byte[(int) client.data.byteSize()];
        new Random(1).nextBytes(random);
        client.data.copyFrom(MemorySegment.ofArray(random));
        assertThat(server.session.createReceiveQueue(4, 2)).isPositive();
        queue = server.session.createReceiveQueue(8);
        server.session.armReceiveQueue(queue, 2);
        ConnectionSettings shared = new ConnectionSettings(1 << 16, 0, List.of(), queue);
        SessionListener listener = server.session.listen(server.address, PORT, 4, shared);
        assertThat(listener.port()).isEqualTo(PORT);
        first = connect();
      }
      case 12 -> server.session.accept(server.requested(0), AcceptSettings.DEFAULTS, new byte[0]);
      case 24 -> {
        for (int id = 100; id < 103; id++) {
          server.receive(id, 0, queue);
        }
        client.receive(50, first, 0);
        client.receive(51, first, 0);
        remote(Opcode.WRITE, 0, 1);
        remote(Opcode.READ, SendFlags.SIGNALLED, 2);
        client
            .rings
            .claim(WorkRequest.slotsForInline(60))
            .begin(Opcode.SEND, SendFlags.SIGNALLED | SendFlags.FENCED, 3, first)
            .inline(client.data, 0, 60)
            .submit();
        client.send(0, 4, first);
        window =
            client.session.allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT).number();
        assertThat(connect()).isNotEqualTo(first);
      }
      case 34 -> {
        server.send(0, 10, server.requested(0));
        client.send(SendFlags.SIGNALLED, 5, first);
        client.send(SendFlags.SIGNALLED, 6, first);
        client.send(0, 7, first);
      }
      case 39 -> {
        client.look();
        server.look();
      }
      case 40 -> {
        server.session.reject(server.requested(1), new byte[] {1});
        client.session.disconnect(first, true);
        client.session.freeWindow(window);
      }
      case 44 -> server.session.disconnect(server.requested(0), true);
      case 50 -> {
        server.receive(103, 0, queue);
        server.receive(104, 0, queue);
      }
      default -> {}
    }
  }

  private int connect() throws RequestRefusedException {
    return client.session.connect(
        server.address, PORT, new byte[] {2}, 1_000_000_000, ConnectionSettings.RDMAP);
  }

  private void remote(int opcode, int flags, long id) {
    assertThat(
            client
                .begin(opcode, flags, id, first)
                .memory(client.stag, 4096 * id, 4096)
                .remote(server.stag, 0)
                .submit())
        .isTrue();
  }

  private void turns(int count) {
    for (int i = 0; i < count; i++) {
      now += 5000;
      client.turn();
      server.turn();
    }
  }

  /**
   * Plays to a step.
   *
   * @param goOn the step before which both engines go on in others, or the next one at which no
   *     packet waits, since those are lost
   */
  private void play(int until, int goOn) throws RequestRefusedException {
    play(this::act, until, goOn);
  }

  private void play(Script script, int until, int goOn) throws RequestRefusedException {
    boolean done = false;
    for (int step = 0; step < until; step++) {
      if (!done && step >= goOn && client.tcp.packetsWaiting() + server.tcp.packetsWaiting() == 0) {
        client.goOn();
        server.goOn();
        done = true;
      }
      script.act(step);
      turns(1);
    }
  }

  private List<String> outcome() {
    List<String> all = client.outcome();
    all.addAll(server.outcome());
    return all;
  }

  private static List<String> outcome(int goOn) throws RequestRefusedException {
    SessionSnapshotTest test = new SessionSnapshotTest();
    test.play(STEPS, goOn);
    return test.outcome();
  }

  @Test
  void shouldGoOnAsIfNothingHadHappened() throws RequestRefusedException {
    List<String> expected = outcome(STEPS);
    assertThat(expected.toString())
        .contains("ReceiveQueueLimit", "Rejected", "LOCAL_CLOSE")
        .contains("read id 2", "send id 7", "send id 10", "receive id 104", "FLUSHED");
    for (int step = 0; step < STEPS; step++) {
      assertThat(outcome(step)).as("step %d", step).isEqualTo(expected);
    }
  }

  /** A host's queue pair, its number and its connection. */
  private static final class QueuePair {
    private final Host host;
    private final int psn;
    private int number;
    private int connection;

    QueuePair(Host host, int psn) throws RequestRefusedException {
      this.host = host;
      this.psn = psn;
      number = host.numbers.create(host.session, 0, 16);
    }

    /** The program says the PSN of its own sends later. */
    void expect(QueuePair peer) throws RequestRefusedException {
      connection =
          host.session.expect(
              new Expectation(
                  number,
                  host.address,
                  peer.number,
                  peer.host.address,
                  Introduction.UNKNOWN,
                  peer.psn,
                  TIMEOUT),
              ConnectionSettings.RDMAP);
    }

    void say() throws RequestRefusedException {
      host.session.expectPsn(connection, psn, TIMEOUT);
    }

    void abort() throws RequestRefusedException {
      host.session.disconnect(connection, false);
    }

    void free() throws RequestRefusedException {
      host.session.freeNumber(number);
      host.numbers.free(host.session, number);
    }
  }

  private QueuePair[] pairs;

  /**
   * Queue pairs of both hosts, of which the client's connects, and one that is its own peer.
   *
   * @param early the index of the end that expects its peer first
   */
  private void actOfQueuePairs(int step, int early) throws RequestRefusedException {
    QueuePair before = step == 0 ? null : pairs[early];
    QueuePair after = step == 0 ? null : pairs[1 - early];
    switch (step) {
      case 0 -> {
        client.data.fill((byte) 0x11);
        server.data.fill((byte) 0x22);
        pairs =
            new QueuePair[] {
              new QueuePair(client, 1), new QueuePair(server, 2), new QueuePair(client, 3)
            };
      }
      case 2 -> before.expect(after);
      case 10 -> {
        before.host.send(SendFlags.SIGNALLED, 1, before.connection);
        pairs[2].expect(pairs[2]);
        client.receive(60, pairs[2].connection, 0);
        client.send(SendFlags.SIGNALLED, 61, pairs[2].connection);
      }
      case 20 -> {
        after.expect(before);
        after.host.receive(100, after.connection, 0);
      }
      case 30 -> before.say();
      case 40 -> after.say();
      case 50 -> {
        before.host.receive(50, before.connection, 0);
        after.host.send(SendFlags.SIGNALLED, 2, after.connection);
      }
      case 60 -> {
        client.look();
        server.look();
      }
      case 62 -> pairs[0].abort();
      case 66 -> {
        pairs[0].free();
        pairs[1].free();
      }
      default -> {}
    }
  }

  private static List<String> outcomeOfQueuePairs(int early, int goOn)
      throws RequestRefusedException {
    SessionSnapshotTest test = new SessionSnapshotTest();
    test.play(step -> test.actOfQueuePairs(step, early), STEPS_OF_QUEUE_PAIRS, goOn);
    assertThat(test.server.engine.counters().introductionsKept).isPositive();
    return test.outcome();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldGoOnWithQueuePairs(int early) throws RequestRefusedException {
    List<String> expected = outcomeOfQueuePairs(early, STEPS_OF_QUEUE_PAIRS);
    assertThat(expected.toString())
        .contains("send id 1 ", "receive id 100", "send id 2 ", "receive id 50")
        .contains("send id 61", "receive id 60", "Closed");
    for (int step = 0; step < STEPS_OF_QUEUE_PAIRS; step++) {
      assertThat(outcomeOfQueuePairs(early, step)).as("step %d", step).isEqualTo(expected);
    }
  }

  @Test
  void shouldRestNumbersThatWereGivenBack() throws RequestRefusedException {
    QueuePair before = new QueuePair(client, 1);
    before.expect(new QueuePair(server, 2));
    before.abort();
    before.free();
    client.goOn();
    // It begins with the same numbers.
    assertThat(client.numbers.create(client.session, 0, 16)).isNotEqualTo(before.number);
    now += QueuePairNumbers.REST;
    client.goOn();
    QueuePair after = new QueuePair(client, 1);
    assertThat(after.number).isEqualTo(before.number);
  }

  /** Its engine has let go of the number; the control plane has not. */
  @Test
  void shouldKeepNoPeerOfANumberThatIsBeingGivenBack() throws RequestRefusedException {
    QueuePair left = new QueuePair(server, 2);
    server.numbers.leave(left.number);
    server.session.freeNumber(left.number);
    QueuePair connects = new QueuePair(client, 1);
    connects.expect(left);
    connects.say();
    turns(10);
    assertThat(server.engine.counters().introductionsRefused).isPositive();
    assertThat(server.engine.counters().introductionsKept).isZero();
    server.numbers.free(server.session, left.number);
    server.goOn();
  }

  /** A host connects to the port of queue pairs, and says nothing. */
  @Test
  void shouldGoOnWithQueuePairsWhoseRequestHasNotCome() {
    List<CloseReason> ends = new ArrayList<>();
    client.tcp.connect(
        server.address,
        QUEUE_PAIRS,
        new StreamHandlerAdapter() {
          @Override
          public void onClosed(CloseReason reason) {
            ends.add(reason);
          }
        });
    turns(10);
    assertThat(server.engine.counters().startupsPending).isEqualTo(1);
    server.goOn();
    now += MpaSettings.DEFAULTS.startupTimeoutNanos() / 2;
    turns(1);
    assertThat(ends).isEmpty();
    now += MpaSettings.DEFAULTS.startupTimeoutNanos();
    turns(10);
    assertThat(ends).containsExactly(CloseReason.RESET);
    assertThat(server.engine.counters().startupsPending).isZero();
  }

  private static void refuse(Host host) {
    byte[] snapshot = host.write(true);
    int refused = 0;
    // What TCP writes comes first, and is not for this test.
    int begin = host.write(false).length;
    host.tcp.retire();
    for (int at = begin; at < snapshot.length; at++) {
      host.begin();
      try {
        host.read(DamagedSnapshot.at(snapshot, at));
      } catch (SnapshotException wrong) {
        assertThat(wrong).hasMessageContaining("the snapshot is wrong at octet");
        refused++;
      }
      host.tcp.retire();
    }
    assertThat(refused).isGreaterThan((snapshot.length - begin) / 6);
  }

  @Test
  void shouldRefuseDamagedQueuePairs() throws RequestRefusedException {
    play(step -> actOfQueuePairs(step, 0), 36, STEPS_OF_QUEUE_PAIRS);
    refuse(client);
    refuse(server);
  }

  @Test
  void shouldRefuseWhatIsDamaged() throws RequestRefusedException {
    play(36, STEPS);
    refuse(client);
    refuse(server);
  }

  @Test
  void shouldRefuseSessionsThatItDoesNotKnow() {
    byte[] snapshot = server.write(true);
    server.tcp.retire();
    server.begin();
    assertThatThrownBy(() -> server.read(snapshot, NUMBER + 1))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("there is no session 5");
  }
}
