package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;
import static org.rddp.daemon.QueuePairEnd.LONG;
import static org.rddp.daemon.QueuePairEnd.inet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.client.Connection;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;

/** Programs with queue pairs that are killed. */
@Timeout(60)
class QueuePairKillsTest {
  private static final int PSN = 9;

  /** What the program that is killed has done last. */
  enum Moment {
    CREATED,
    EXPECTING,
    ESTABLISHED
  }

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp one = daemon.connect("one");

  @AfterEach
  void shouldLeaveNothing() {
    one.close();
    TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is free");
    daemon.close();
  }

  @ParameterizedTest
  @EnumSource
  void theOtherEndShouldNoticeAndTheNumberShouldBeGone(Moment moment) throws Exception {
    QueuePairEnd end = QueuePairEnd.of(one, TestDaemon.ADDRESS_ONE, PSN);
    Process process =
        ChildJvm.start(
            Program.class,
            daemon.socket().toString(),
            Integer.toString(end.number().value()),
            moment.name());
    int number = Integer.parseInt(ChildJvm.firstLine(process));
    Connection connection = end.expect(number, inet(TestDaemon.ADDRESS_TWO), PSN, PSN, LONG);
    if (moment == Moment.ESTABLISHED) {
      connection.awaitEstablished(TIMEOUT);
      QueuePairEnd.post(one, connection);
    }
    process.destroyForcibly().waitFor();
    if (moment == Moment.ESTABLISHED) {
      assertThat(connection.awaitClosed(TIMEOUT)).isTrue();
      assertThat(completions(one, 2)).contains("receive 1 FLUSHED 0");
    } else {
      // It may have been established, and have ended, before the program was killed.
      TestDaemon.await(
          () -> refused() >= 2 || connection.closeReason() != null, "the number is not known");
      connection.abort();
    }
    TestDaemon.await(
        () -> daemon.daemon().engines().get(1).connectionCount() == 0, "nothing is left");
    try (Rddp two = daemon.connect("two")) {
      QueuePairEnd.exchange(
          QueuePairEnd.of(one, TestDaemon.ADDRESS_ONE, 1),
          QueuePairEnd.of(two, TestDaemon.ADDRESS_TWO, 2));
    }
  }

  private long refused() {
    try {
      return TestDaemon.counters(one).get("two.introductions_refused");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The program that is killed: prints its number at the moment when it may be. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws IOException {
      Moment moment = Moment.valueOf(arguments[2]);
      RddpOptions options = RddpOptions.defaults().withInterfaceName("two");
      Rddp session = Rddp.connect(Path.of(arguments[0]), options);
      QueuePairEnd end = QueuePairEnd.of(session, TestDaemon.ADDRESS_TWO, PSN);
      List<Connection> held = new java.util.ArrayList<>();
      if (moment != Moment.CREATED) {
        int peer = Integer.parseInt(arguments[1]);
        held.add(end.expect(peer, inet(TestDaemon.ADDRESS_ONE), PSN, PSN, LONG));
      }
      System.out.println(end.number().value());
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      held.forEach(Connection::close);
      session.close();
    }
  }
}
