package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.tcp.testing.PlainPeer;

/**
 * The lives of a session's connections, with a peer that need not play along, under virtual time.
 */
class SessionConnectionTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int PORT = 7;
  private static final int STARTUPS = 4;
  private static final Ipv4Address OURS = Ipv4Address.parse("10.0.0.1");
  private static final Ipv4Address THEIRS = Ipv4Address.parse("10.0.0.2");
  private static final Ipv4Address NOBODY = Ipv4Address.parse("10.0.0.77");

  private final LoopedDevice[] link =
      LoopedDevice.pair(
          new NativePacketPool(512, 1514), new NativePacketPool(512, 1514), 1500, 256);
  private long now = SECOND;
  private final TcpStack tcp = stack(link[0], OURS, 1);
  private final TcpStack peerTcp = stack(link[1], THEIRS, 2);
  private final DdpEngine peerDdp = new DdpEngine(new TaggedBuffers(4, new SplittableRandom(4)));
  private final ProtectionDomain peerDomain = new ProtectionDomain("peer");
  private final List<DaemonMessage> events = new ArrayList<>();
  private final Engine engine =
      new Engine(
          "test",
          new InterfaceAddress(OURS, 24),
          tcp,
          new DdpEngine(new TaggedBuffers(64, new SplittableRandom(3))),
          new RdmapSettings(
              MpaSettings.DEFAULTS.withStartups(STARTUPS).withRevision(2).withPeerToPeer(true),
              128,
              128),
          new FaultHandler() {
            @Override
            public void onFault(String where, Throwable cause) {
              throw new AssertionError(where, cause);
            }

            @Override
            public void onRefused(String detail) {}
          });
  private final MemorySegment ringMemory = Arena.ofAuto().allocate(DaemonRings.octets(16, 16), 64);
  private final MemorySegment data = Arena.ofAuto().allocate(4096, 64);
  private final Session session;
  private final ProgramRings rings;

  SessionConnectionTest() throws Exception {
    DaemonRings ends = new DaemonRings(ringMemory, 16, 16);
    rings = new ProgramRings(ringMemory, () -> {});
    session =
        new Session(
            "program",
            engine,
            new SessionLimits(16, 16, 16, 168, 16, 16, 16, 1 << 20),
            ends,
            WakeSocket.pair()[0]::signal,
            new SessionHandler() {
              @Override
              public void send(DaemonMessage message) {
                events.add(message);
              }

              @Override
              public void onBroken(String detail) {
                throw new AssertionError(detail);
              }
            });
    engine.begin(session);
  }

  private TcpStack stack(LoopedDevice device, Ipv4Address address, int seed) {
    return new TcpStack(
        device,
        new InterfaceAddress(address, 24),
        TcpSettings.DEFAULTS,
        new SplittableRandom(seed),
        now);
  }

  private void run(int turns, long step) {
    for (int i = 0; i < turns; i++) {
      now += step;
      engine.turn(now);
      peerTcp.receive(now);
      peerDdp.send(64);
      peerTcp.advance(now);
      peerTcp.transmit(now);
    }
  }

  /** A peer's program that does nothing of its own accord, also not close. */
  private static class Idle implements StartupHandler, RdmapHandler {
    @Override
    public void onRequest(MpaStartup startup, byte[] privateData) {}

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {}

    @Override
    public void onRejected(byte[] privateData) {}

    @Override
    public void onCompletion(long id, int kind, int status, long octets) {}

    @Override
    public void onError(int layer, int type, int code, String detail) {}

    @Override
    public void onPeerClosed() {}

    @Override
    public void onClosed(CloseReason reason) {}
  }

  private RdmapStream peerConnects(MpaSettings mpa, Idle peer) {
    RdmapSettings settings = new RdmapSettings(mpa, 16, 16);
    RdmapStream stream = new RdmapStream(peerDdp, peerDomain, settings, peer);
    peerTcp.connect(
        OURS, PORT, MpaStartup.initiator(settings.mpa(), new byte[0], peer, stream.ddp()));
    return stream;
  }

  /** A peer has connected, and the program has been asked. */
  private int requested() {
    return requested(MpaSettings.DEFAULTS);
  }

  private int requested(MpaSettings mpa) {
    peerConnects(mpa, new Idle());
    run(20, 1000);
    return event(DaemonMessage.ConnectionRequested.class).connection();
  }

  private <E extends DaemonMessage> E event(Class<E> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).findFirst().orElseThrow();
  }

  private List<CompletionStatus> completions() {
    PolledCompletion completion = new PolledCompletion();
    List<CompletionStatus> statuses = new ArrayList<>();
    while (rings.poll(completion)) {
      statuses.add(completion.status());
    }
    rings.publish();
    return statuses;
  }

  private void postReceive(int connection) throws RequestRefusedException {
    int stag = session.register(data.address(), 4096, Access.bits(Access.LOCAL_WRITE), 0);
    assertThat(rings.claim(1).begin(Opcode.RECEIVE, 0, 5, connection).memory(stag, 0, 64).submit())
        .isTrue();
  }

  @Test
  void shouldEndTheOldestOfTooManyStartups() throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    session.listen(Ipv6Address.UNSPECIFIED, PORT + 1, 8, ConnectionSettings.RDMAP);
    List<CloseReason> oldest = silentPeer(PORT);
    for (int i = 1; i < STARTUPS; i++) {
      silentPeer(PORT + i % 2);
    }
    run(20, 1000);
    assertThat(engine.counters().startupsPending).isEqualTo(STARTUPS);
    assertThat(oldest).isEmpty();
    List<CloseReason> newest = silentPeer(PORT);
    run(20, 1000);
    assertThat(oldest).containsExactly(CloseReason.RESET);
    assertThat(newest).isEmpty();
    assertThat(engine.counters().startupsEvicted).isEqualTo(1);

    run(20, SECOND);
    assertThat(engine.counters().startupErrors).as("given up").isEqualTo(STARTUPS);
    assertThat(engine.counters().startupsPending).isZero();
  }

  @Test
  void shouldCountStartupsApartFromTheBacklog() throws Exception {
    SessionListener listener =
        session.listen(Ipv6Address.UNSPECIFIED, PORT, 2, ConnectionSettings.RDMAP);
    for (int i = 1; i < STARTUPS; i++) {
      silentPeer(PORT);
    }
    run(20, 1000);
    requested();
    requested();
    assertThat(engine.counters().startupsRefused).isZero();
    peerConnects(MpaSettings.DEFAULTS, new Idle());
    run(20, 1000);
    assertThat(engine.counters().startupsRefused).as("the backlog is full").isEqualTo(1);
    assertThat(events).hasSize(2);
    listener.close();
    assertThat(engine.counters().startupsPending).isZero();
  }

  @Test
  void shouldTellAPeerOfAnotherRevisionOurs() throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    PlainPeer peer = new PlainPeer("4d504120494420526571204672616d65" + "40090000");
    peerTcp.connect(OURS, PORT, peer);
    run(20, 1000);
    assertThat(peer.heard()).isEqualTo("4d504120494420526570204672616d65" + "60010000");
    assertThat(peer.ends()).containsExactly(CloseReason.NORMAL);
    assertThat(engine.counters().startupErrors).isEqualTo(1);
    assertThat(events).isEmpty();
  }

  @Test
  void shouldTellThePeerOfAnRtrMismatch() throws Exception {
    PlainPeer peer = new PlainPeer("4d504120494420526570204672616d65" + "50020004" + "00100010");
    peerTcp.listen(PORT, (stream, address, port) -> peer);
    int connection =
        session.connect(THEIRS, PORT, new byte[0], 10 * SECOND, ConnectionSettings.RDMAP);
    run(40, 1000);
    DaemonMessage.Failed failed = event(DaemonMessage.Failed.class);
    assertThat(failed.connection()).isEqualTo(connection);
    assertThat(failed.reason()).isEqualTo(Reason.MPA_ERROR);
    assertThat(failed.detail()).isEqualTo(7);
    assertThat(peer.heard()).contains("2007");
  }

  /** How the connection of a peer ends that connects and says nothing. */
  private List<CloseReason> silentPeer(int port) {
    PlainPeer peer = new PlainPeer("");
    peerTcp.connect(OURS, port, peer);
    return peer.ends();
  }

  @Test
  void shouldFlushTheReceivesOfAConnectionThatTheProgramRejects() throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    int connection = requested();
    postReceive(connection);
    session.reject(connection, new byte[0]);
    run(20, 1000);
    assertThat(completions()).containsExactly(CompletionStatus.FLUSHED);
  }

  @Test
  void shouldFlushTheReceivesOfAnUnansweredConnectionWhenTheListenerCloses() throws Exception {
    SessionListener listener =
        session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    postReceive(requested());
    session.closeListener(listener.number());
    assertThat(event(DaemonMessage.Failed.class).reason()).isEqualTo(Reason.LOCAL_CLOSE);
    run(20, 1000);
    assertThat(completions()).containsExactly(CompletionStatus.FLUSHED);
  }

  @Test
  void shouldFlushTheReceivesOfAConnectionThatThePeerRejects() throws Exception {
    peerRejects();
    postReceive(session.connect(THEIRS, PORT, new byte[0], SECOND, ConnectionSettings.RDMAP));
    run(20, 1000);
    assertThat(events).anyMatch(DaemonMessage.Rejected.class::isInstance);
    assertThat(completions()).containsExactly(CompletionStatus.FLUSHED);
  }

  @Test
  void shouldFlushAReadAndWhatIsBehindItOfAConnectionThatThePeerRejects() throws Exception {
    peerRejects();
    int connection = session.connect(THEIRS, PORT, new byte[0], SECOND, ConnectionSettings.RDMAP);
    int stag = session.register(data.address(), 4096, Access.bits(Access.LOCAL_WRITE), 0);
    assertThat(
            rings
                .claim(1)
                .begin(Opcode.READ, 0, 5, connection)
                .memory(stag, 0, 64)
                .remote(1, 0)
                .submit())
        .isTrue();
    assertThat(
            rings
                .claim(1)
                .begin(Opcode.WRITE, 0, 6, connection)
                .memory(stag, 64, 64)
                .remote(1, 0)
                .submit())
        .isTrue();
    run(20, 1000);
    assertThat(events).anyMatch(DaemonMessage.Rejected.class::isInstance);
    assertThat(completions()).containsExactly(CompletionStatus.FLUSHED, CompletionStatus.FLUSHED);
    session.deregister(stag);
  }

  @Test
  void shouldNotKeepARejectedConnectionWhosePeerNeverCloses() throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    session.reject(requested(), new byte[0]);
    run(20, 1000);
    assertThat(tcp.connections()).isEqualTo(1);
    run(60, SECOND);
    assertThat(tcp.connections()).isZero();
  }

  @Test
  void shouldNotKeepAConnectionThatThePeerRejectedAndDoesNotClose() throws Exception {
    peerRejects();
    session.connect(THEIRS, PORT, new byte[0], SECOND, ConnectionSettings.RDMAP);
    run(20, 1000);
    assertThat(tcp.connections()).isEqualTo(1);
    run(60, SECOND);
    assertThat(tcp.connections()).isZero();
  }

  private void peerRejects() {
    Idle peer =
        new Idle() {
          @Override
          public void onRequest(MpaStartup startup, byte[] privateData) {
            startup.reject(new byte[0]);
          }
        };
    RdmapSettings settings = RdmapSettings.DEFAULTS;
    RdmapStream stream = new RdmapStream(peerDdp, peerDomain, settings, peer);
    peerTcp.listen(
        PORT,
        (tcpStream, address, port) -> MpaStartup.responder(settings.mpa(), peer, stream.ddp()));
  }

  @Test
  void shouldRefuseAHandshakeThatEndsAfterTheListenerHasClosed() throws Exception {
    SessionListener listener =
        session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    peerConnects(MpaSettings.DEFAULTS, new Idle());
    while (tcp.connections() == 0) {
      run(1, 1000);
    }
    assertThat(tcp.counters().established).isZero();
    session.closeListener(listener.number());
    run(50, 1000);
    assertThat(events).isEmpty();
    assertThat(tcp.connections()).isZero();
  }

  @Test
  void shouldLetTheProgramAnswerAgainWhenItsPrivateDataDoesNotFit() throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    int connection = requested(MpaSettings.DEFAULTS.withRevision(2));
    assertInvalid(() -> session.accept(connection, AcceptSettings.DEFAULTS, new byte[509]));
    assertInvalid(() -> session.reject(connection, new byte[509]));
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[508]);
    assertThat(events).anyMatch(DaemonMessage.Established.class::isInstance);
  }

  private static void assertInvalid(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID));
  }

  /** The program's own timeout counts, not TCP's of 30 s. */
  @Test
  void shouldTellTheProgramInTimeWhenAnUnansweredConnectionExpires() throws Exception {
    session.connect(NOBODY, PORT, new byte[0], SECOND, ConnectionSettings.RDMAP);
    run(9, SECOND / 10);
    assertThat(events).isEmpty();
    run(2, SECOND / 10);
    assertThat(event(DaemonMessage.Failed.class).reason()).isEqualTo(Reason.TIMEOUT);
    assertThat(tcp.connections()).isZero();
  }

  @Test
  void shouldTellTheProgramAtOnceWhenItAbortsAnUnansweredConnection() throws Exception {
    int connection =
        session.connect(NOBODY, PORT, new byte[0], 60 * SECOND, ConnectionSettings.RDMAP);
    run(20, 1000);
    session.disconnect(connection, false);
    assertThat(event(DaemonMessage.Failed.class).reason()).isEqualTo(Reason.LOCAL_ABORT);
    assertThat(tcp.connections()).isZero();
  }

  /** The peer sends a message every five seconds, and closes after a minute. */
  @Test
  void shouldNotEndAClosingConnectionWhileThereIsProgress() throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    RdmapStream peer = peerConnects(MpaSettings.DEFAULTS, new Idle());
    run(20, 1000);
    int connection = event(DaemonMessage.ConnectionRequested.class).connection();
    for (int i = 0; i < 12; i++) {
      postReceive(connection);
    }
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[0]);
    run(20, 1000);
    session.disconnect(connection, true);
    for (int i = 0; i < 12; i++) {
      peer.postSend(new StreamRequest(i).memory(data.address(), 1));
      run(5, SECOND);
    }
    assertThat(completions()).hasSize(12).containsOnly(CompletionStatus.SUCCESS);
    peer.close();
    run(20, 1000);
    assertThat(event(DaemonMessage.Closed.class).reason()).isEqualTo(Reason.LOCAL_CLOSE);
  }

  @Test
  @Tag("MPA-7.1.2-28")
  void shouldEndAClosingConnectionAfterTenSecondsWithoutProgress() throws Exception {
    session.listen(Ipv6Address.UNSPECIFIED, PORT, 8, ConnectionSettings.RDMAP);
    int connection = requested();
    session.accept(connection, AcceptSettings.DEFAULTS, new byte[0]);
    run(20, 1000);
    session.disconnect(connection, true);
    run(1, 1000);
    run(9, SECOND);
    session.disconnect(connection, true);
    assertThat(events).noneMatch(DaemonMessage.Closed.class::isInstance);
    run(2, SECOND);
    assertThat(event(DaemonMessage.Closed.class).reason()).isEqualTo(Reason.TIMEOUT);
  }
}
