package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.PlainPeer;

/** Peers that know MPA's revision 1 only and close upon revision 2 (RFC 6581 section 10). */
class RevisionRetryTest {
  private static final StartupOptions REVISION_2 = StartupOptions.DEFAULTS.withRevision(2);

  private final SessionFixture fixture = new SessionFixture();

  /** A peer that does something as soon as it hears something, and never answers. */
  private static PlainPeer upon(Consumer<TcpStream> first) {
    return new PlainPeer("") {
      @Override
      public void onSegment(long position, long address, int length, long packet) {
        super.onSegment(position, address, length, packet);
        first.accept(stream());
      }

      @Override
      public void onPeerClosed() {}
    };
  }

  private static PlainPeer closing(boolean reset) {
    return upon(reset ? TcpStream::abort : TcpStream::closeSend);
  }

  private int connect(StartupOptions startup) throws RequestRefusedException {
    int connection = fixture.connect(ConnectionSettings.RDMAP.withStartup(startup));
    fixture.run();
    fixture.run();
    return connection;
  }

  private DaemonMessage outcome() {
    assertThat(fixture.events).hasSize(1);
    return fixture.events.getFirst();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("P2P-10-01")
  @Tag("P2P-10-04")
  void shouldConnectAgainWithRevision1(boolean reset) throws Exception {
    SessionFixture.Peer second = fixture.accepting(MpaSettings.DEFAULTS);
    fixture.peers(closing(reset), second.startup);
    int connection = connect(REVISION_2.withRevision1Retry(true).withReads(3, 2));
    DaemonMessage.Established established = (DaemonMessage.Established) outcome();
    assertThat(established.connection()).isEqualTo(connection);
    assertThat(established.startup())
        .isEqualTo(new StartupTerms(1, false, StartupTerms.UNKNOWN, StartupTerms.UNKNOWN, 3, 2));
    assertThat(second.events).containsExactly("established");
    assertThat(fixture.engine.counters().startupsRetried).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldNotUnlessToldTo(boolean reset) throws Exception {
    fixture.peers(closing(reset), closing(reset));
    for (StartupOptions each : List.of(REVISION_2, REVISION_2.withRevision1Retry(false))) {
      fixture.events.clear();
      connect(each);
      assertThat(((DaemonMessage.Failed) outcome()).text())
          .endsWith("with revision 1, or allow a second try with it (revision1Retry)");
    }
    assertThat(fixture.engine.counters().startupsRetried).isZero();
  }

  @Test
  void shouldTryRevision1OnceOnly() throws Exception {
    fixture.peers(closing(false), closing(false));
    connect(REVISION_2.withRevision1Retry(true));
    DaemonMessage.Failed failed = (DaemonMessage.Failed) outcome();
    assertThat(failed.reason()).isEqualTo(Reason.MPA_ERROR);
    assertThat(failed.text()).doesNotContain("revision1Retry");
    assertThat(fixture.engine.counters().startupsRetried).isEqualTo(1);
    assertThat(fixture.session.connectionCount()).isZero();
  }

  /** The end of the first connection has flushed what was posted to it. */
  @Test
  void shouldNotOnceSomethingWasPosted() throws Exception {
    fixture.peers(closing(false), closing(false));
    int region = fixture.register(Access.LOCAL_WRITE);
    int connection =
        fixture.connect(ConnectionSettings.RDMAP.withStartup(REVISION_2.withRevision1Retry(true)));
    assertThat(
            fixture
                .rings
                .claim(1)
                .begin(Opcode.RECEIVE, 0, 7, connection)
                .memory(region, 0, 4)
                .submit())
        .isTrue();
    fixture.run();
    fixture.run();
    assertThat(fixture.completions()).containsExactly("receive 7 FLUSHED");
    assertThat(outcome()).isInstanceOf(DaemonMessage.Failed.class);
    assertThat(fixture.engine.counters().startupsRetried).isZero();
  }

  @Test
  void shouldFailWhereTheSecondConnectionIsRefused() throws Exception {
    fixture.peers(closing(true));
    connect(REVISION_2.withRevision1Retry(true));
    assertThat(outcome()).isInstanceOf(DaemonMessage.Failed.class);
    assertThat(fixture.session.connectionCount()).isZero();
  }

  @Test
  void shouldGiveUpWhenTheTimeToConnectIsOver() throws Exception {
    fixture.peers(closing(true), upon(any -> {}));
    connect(REVISION_2.withRevision1Retry(true));
    assertThat(fixture.events).isEmpty();
    fixture.pass(1_000_000_000);
    fixture.run();
    assertThat(((DaemonMessage.Failed) outcome()).reason()).isEqualTo(Reason.TIMEOUT);
  }

  @Test
  void shouldNotRetryWhereNobodyListens() throws Exception {
    connect(REVISION_2.withRevision1Retry(true));
    assertThat(((DaemonMessage.Failed) outcome()).reason()).isEqualTo(Reason.REFUSED);
    assertThat(fixture.engine.counters().startupsRetried).isZero();
  }
}
