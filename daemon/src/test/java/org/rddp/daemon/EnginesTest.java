package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** Interfaces that several engines share. */
@Timeout(60)
class EnginesTest {
  private static final int ENGINES = 4;
  private static final int PORT = 7471;
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);

  private final TestDaemon daemon = TestDaemon.withEngines(ENGINES);
  private final List<Rddp> sessions = new ArrayList<>();

  @AfterEach
  void close() {
    sessions.forEach(Rddp::close);
    daemon.close();
  }

  private Rddp connect(String interfaceName) {
    Rddp session = daemon.connect(interfaceName);
    sessions.add(session);
    return session;
  }

  /** Connects, writes into the peer's memory and compares. */
  private void exchange(Rddp here, Rddp there, Listener listener) {
    exchange(here, there, listener, TWO);
  }

  private void exchange(Rddp here, Rddp there, Listener listener, InetSocketAddress to) {
    MemoryRegion source = here.allocate(64, Access.LOCAL_WRITE);
    MemoryRegion sink = there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    Connection out = here.connect(to, PrivateData.NONE, TIMEOUT);
    Connection in = accepted.join();
    source.segment().set(ValueLayout.JAVA_LONG, 0, 0x0102_0304_0506_0708L);
    assertThat(out.postWrite(1, source, 0, 8, sink.stag(), 0)).isTrue();
    assertThat(completions(here, 1)).containsExactly("write 1 SUCCESS 8");
    TestDaemon.await(
        () -> sink.segment().get(ValueLayout.JAVA_LONG, 0) == 0x0102_0304_0506_0708L,
        "the octets have come");
    in.disconnect();
    out.close();
    in.close();
  }

  /** The engines of the first interface that have established one connection. */
  private long established() {
    return daemon.daemon().engines().stream()
        .limit(ENGINES)
        .filter(engine -> engine.tcp().counters().established == 1)
        .count();
  }

  private long sum(Rddp session, String suffix) throws Exception {
    return TestDaemon.counters(session).entrySet().stream()
        .filter(each -> each.getKey().endsWith(suffix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  @Test
  void everySessionShouldReachEveryOther() {
    for (int there = 0; there < ENGINES; there++) {
      Rddp server = connect("two/" + there);
      try (Listener listener = server.listen(PORT)) {
        for (int here = 0; here < ENGINES; here++) {
          exchange(connect("one/" + here), server, listener);
        }
      }
    }
  }

  @Test
  void sessionsShouldBeSpreadOverTheEngines() throws Exception {
    Rddp there = connect("two");
    Listener listener = there.listen(PORT);
    for (int i = 0; i < ENGINES; i++) {
      exchange(connect("one"), there, listener);
    }
    TestDaemon.await(() -> established() == ENGINES, "each engine has established a connection");
    assertThat(Rddp.interfaces(daemon.socket())).extracting("name").containsExactly("one", "two");
  }

  @Test
  void sessionsOfOneProcessShouldListenAtOnePort() throws Exception {
    List<Listener> listeners = new ArrayList<>();
    for (int i = 0; i < ENGINES; i++) {
      listeners.add(connect("two/" + i).listen(PORT));
    }
    Rddp here = connect("one");
    List<Connection> out = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      CompletableFuture<Connection> connecting =
          CompletableFuture.supplyAsync(() -> here.connect(TWO, PrivateData.NONE, TIMEOUT));
      TestDaemon.await(
          () -> {
            for (Listener listener : listeners) {
              IncomingConnection incoming = listener.poll();
              if (incoming != null) {
                incoming.accept();
              }
            }
            return connecting.isDone();
          },
          "a listener has accepted");
      out.add(connecting.join());
    }
    assertThat(out).hasSize(16);
    assertThat(sum(here, ".ip_dropped_hand_overs")).isZero();
  }

  @Test
  void anotherEngineShouldHandOverWhatItReceives() throws Exception {
    Rddp there = connect("two/3");
    try (Listener listener = there.listen(PORT)) {
      for (int i = 0; i < 8; i++) {
        exchange(connect("one"), there, listener);
      }
    }
    TestDaemon.await(
        () -> {
          try {
            return sum(there, ".ip_received_hand_overs") > 0;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        },
        "some connections have come to another queue");
  }

  @Test
  void answersShouldComeToTheEngineThatConnected() {
    Rddp there = connect("two/3");
    InetSocketAddress ipv6 = new InetSocketAddress("2001:db8::2", PORT);
    try (Listener listener = there.listen(new InetSocketAddress("::", PORT), 16)) {
      for (int i = 0; i < ENGINES; i++) {
        Rddp here = connect("one/" + i);
        exchange(here, there, listener, ipv6);
        exchange(here, there, listener, TWO);
      }
    }
    assertThat(daemon.daemon().engines().stream().limit(ENGINES))
        .allSatisfy(engine -> assertThat(engine.tcp().ipCounters().handedOver).isZero());
  }

  @Test
  void anEngineThatDoesNotExistShouldBeRefused() {
    assertThatThrownBy(() -> connect("one/4"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.reason()).isEqualTo(Reason.NO_INTERFACE))
        .hasMessageContaining("one, two");
  }
}
