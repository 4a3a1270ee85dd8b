package org.rddp.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.daemon.TestDaemon;

/** Allocation on the path of messages through the engine. */
@Timeout(120)
class EngineAllocationTest {
  private static final int WARM_UP = 60_000;
  private static final int MESSAGES = 20_000;
  private static final int ROUNDS = 10;
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

  @Test
  void shouldAllocateNothingPerMessage() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        WritePingPong pingPong = new WritePingPong(here, there, TWO, 64)) {
      pingPong.measure(0, WARM_UP, "warm-up");
      long least = least(engineThread(), MESSAGES, () -> pingPong.measure(0, MESSAGES, "measured"));

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
