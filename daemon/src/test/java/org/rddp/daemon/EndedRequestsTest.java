package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;

/** Connection requests that end before the program takes them. */
@Timeout(120)
class EndedRequestsTest {
  private static final int ROUNDS = 100;
  private static final int REQUESTS = 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", 7471);

  /** Objects of exactly that class that are reachable. */
  private static long count(Class<?> type) throws JMException {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {null},
                new String[] {String[].class.getName()});
    return histogram
        .toString()
        .lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(words -> words.length >= 4 && words[3].equals(type.getName()))
        .mapToLong(words -> Long.parseLong(words[1]))
        .sum();
  }

  /** A thread may refer to an object for a moment after it has returned from its last use. */
  private static void awaitCount(Class<?> type, long expected) {
    TestDaemon.await(
        () -> {
          try {
            return count(type) <= expected;
          } catch (JMException e) {
            throw new AssertionError(e);
          }
        },
        "at most %d of %s are left".formatted(expected, type));
  }

  /** When it is reached, the program has handled the daemon's messages about these requests. */
  private static void awaitWaiting(Rddp listening, int requests) {
    TestDaemon.await(
        () -> {
          JsonObject listener =
              JsonParser.parseString(listening.list(ListSubject.LISTENERS).getFirst())
                  .getAsJsonObject();
          return listener.get("waiting").getAsInt() == requests;
        },
        requests + " requests wait");
  }

  private static CompletionStage<Connection> ask(Rddp peer) {
    return peer.connectAsync(TWO, PrivateData.NONE, TIMEOUT, ConnectionOptions.DEFAULTS);
  }

  /** A method of its own, whose variables do not hold what is counted afterwards. */
  private static void askAndEnd(TestDaemon daemon, Rddp listening) {
    try (Rddp peer = daemon.connect("one")) {
      for (int i = 0; i < REQUESTS; i++) {
        assertThat(ask(peer)).isNotNull();
      }
      awaitWaiting(listening, REQUESTS);
    }
    awaitWaiting(listening, 0);
  }

  @Test
  void shouldLeaveNothingInTheProgram() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp listening = daemon.connect("two");
        Listener listener = listening.listen(TWO.getPort())) {
      long connections = count(Connection.class);
      long incoming = count(IncomingConnection.class);
      for (int i = 0; i < ROUNDS; i++) {
        askAndEnd(daemon, listening);
      }
      awaitCount(Connection.class, connections);
      awaitCount(IncomingConnection.class, incoming);
      assertThat(listener.poll()).isNull();
    }
  }

  @Test
  void shouldReturnTheOthersInTheirOrder() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp listening = daemon.connect("two");
        Listener listener = listening.listen(TWO.getPort());
        Rddp first = daemon.connect("one");
        Rddp last = daemon.connect("one")) {
      List<CompletionStage<Connection>> asked = new ArrayList<>();
      try (Rddp ends = daemon.connect("one")) {
        asked.add(ask(first));
        awaitWaiting(listening, 1);
        asked.add(ask(ends));
        awaitWaiting(listening, 2);
        asked.add(ask(last));
        awaitWaiting(listening, 3);
      }
      awaitWaiting(listening, 2);
      for (CompletionStage<Connection> each : List.of(asked.getFirst(), asked.getLast())) {
        Connection accepted = listener.poll().accept();
        Connection connected = each.toCompletableFuture().join();
        assertThat(accepted.remoteAddress()).isEqualTo(connected.localAddress());
      }
      assertThat(listener.poll()).isNull();
    }
  }

  @Test
  void shouldFailWhenItEndsAfterItWasTaken() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp listening = daemon.connect("two");
        Listener listener = listening.listen(TWO.getPort())) {
      IncomingConnection taken;
      try (Rddp peer = daemon.connect("one")) {
        assertThat(ask(peer)).isNotNull();
        taken = listener.await(TIMEOUT);
      }
      awaitWaiting(listening, 0);
      assertThat(taken.connection().closeReason()).isNotNull();
      assertThatThrownBy(taken::accept).isInstanceOf(ConnectionFailedException.class);
    }
  }

  private static void askAndCloseListener(TestDaemon daemon, Rddp listening) {
    try (Rddp peer = daemon.connect("one");
        Listener listener = listening.listen(TWO.getPort())) {
      assertThat(ask(peer)).isNotNull();
      awaitWaiting(listening, 1);
      assertThat(listener.address()).isEqualTo(TWO);
    }
  }

  @Test
  void shouldForgetWhatWaitsAtAListenerThatIsClosed() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp listening = daemon.connect("two")) {
      long connections = count(Connection.class);
      long incoming = count(IncomingConnection.class);
      askAndCloseListener(daemon, listening);
      awaitCount(Connection.class, connections);
      awaitCount(IncomingConnection.class, incoming);
    }
  }
}
