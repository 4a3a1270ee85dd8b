package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;

/** Queue pairs of interfaces that several engines share. */
@Timeout(60)
class QueuePairEnginesTest {
  private static final int ENGINES = 3;

  private final TestDaemon daemon = TestDaemon.withEngines(ENGINES);
  private final List<Rddp> sessions = new ArrayList<>();

  @AfterEach
  void close() {
    sessions.forEach(Rddp::close);
    daemon.close();
  }

  private QueuePairEnd end(String interfaceName, int engine, String address) {
    Rddp session = daemon.connect(interfaceName + "/" + engine);
    sessions.add(session);
    return QueuePairEnd.of(session, address, engine);
  }

  @Test
  void everySessionShouldReachEveryOther() {
    for (int here = 0; here < ENGINES; here++) {
      for (int there = 0; there < ENGINES; there++) {
        QueuePairEnd lower = end("one", here, TestDaemon.ADDRESS_ONE);
        QueuePairEnd higher = end("two", there, TestDaemon.ADDRESS_TWO);
        QueuePairEnd.exchange(lower, higher);
        QueuePairEnd.exchange(higher, lower);
      }
    }
    assertThat(daemon.daemon().engines())
        .allSatisfy(engine -> assertThat(engine.tcp().counters().established).isPositive());
  }

  @Test
  void sessionsOfOneInterfaceShouldReachEachOther() {
    QueuePairEnd.exchange(
        end("one", 0, TestDaemon.ADDRESS_ONE), end("one", 2, TestDaemon.ADDRESS_ONE));
    QueuePairEnd.exchange(end("one", 1, TestDaemon.IPV6_ONE), end("one", 0, TestDaemon.IPV6_ONE));
  }
}
