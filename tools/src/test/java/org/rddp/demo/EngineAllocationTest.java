package org.rddp.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.daemon.TestDaemon;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTripTimer;
import org.rddp.rig.WaitStrategy;

/** Allocation on the path of messages through the engine. */
@Timeout(120)
class EngineAllocationTest {
  private static final int WARM_UP = 20_000;
  private static final int MESSAGES = 5_000;
  private static final int ROUNDS = 10;
  private static final long LONGEST = 60_000_000_000L;
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", 7471);
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static long engineThread() {
    return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
        .filter(thread -> thread != null && thread.getThreadName().equals("rddp-engine"))
        .findFirst()
        .orElseThrow()
        .getThreadId();
  }

  /** The least number of octets that a thread allocates in one of several rounds. */
  private static long least(long thread, long enough, Runnable round) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ROUNDS && least > enough; i++) {
      long before = THREADS.getThreadAllocatedBytes(thread);
      round.run();
      least = Math.min(least, THREADS.getThreadAllocatedBytes(thread) - before);
    }
    return least;
  }

  private static void measure(RoundTripTimer timer, ProgramPair pair) {
    try {
      timer.closedLoop(pair, MESSAGES, LONGEST);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldAllocateNothingPerMessage() throws IOException {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        ProgramPair pair = ProgramPair.connect(here, there, TWO, 64, WaitStrategy.spinning())) {
      pair.prepare(ProgramPair.Verb.WRITE, 64);
      RoundTripTimer timer = new RoundTripTimer();
      timer.warmUp(pair, WARM_UP, LONGEST);
      long least = least(engineThread(), MESSAGES, () -> measure(timer, pair));

      // Two messages each. The bound leaves room for a few commands and the first turns of new
      // code.
      assertThat(least).isLessThan(2L * MESSAGES);
    }
  }

  @Test
  void shouldAllocateNothingPerMessageOfPlainDdp() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        PlainDdpPingPong pingPong = new PlainDdpPingPong(here, there, TWO)) {
      pingPong.run(WARM_UP / 2);
      Runnable round = () -> pingPong.run(MESSAGES / 2);

      // Two messages each way.
      assertThat(least(engineThread(), MESSAGES, round)).isLessThan(2L * MESSAGES);
      assertThat(least(Thread.currentThread().threadId(), MESSAGES, round))
          .as("in the programs")
          .isLessThan(2L * MESSAGES);
    }
  }
}
