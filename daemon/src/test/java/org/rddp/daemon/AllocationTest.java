package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.demo.WritePingPong;

/** What the engine's thread allocates while messages go through it. */
@Timeout(120)
class AllocationTest {
  private static final int WARM_UP = 60_000;
  private static final int MESSAGES = 20_000;
  private static final int ROUNDS = 10;

  @Test
  void shouldAllocateNothingPerMessage() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        WritePingPong pingPong =
            new WritePingPong(here, there, new InetSocketAddress("10.0.0.2", 7471), 64)) {
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long engine =
          Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
              .filter(thread -> thread != null && thread.getThreadName().equals("rddp-engine"))
              .findFirst()
              .orElseThrow()
              .getThreadId();
      pingPong.measure(0, WARM_UP, "warm-up");
      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS && least > MESSAGES; round++) {
        long before = threads.getThreadAllocatedBytes(engine);
        pingPong.measure(0, MESSAGES, "measured");
        least = Math.min(least, threads.getThreadAllocatedBytes(engine) - before);
      }

      // Two messages each; a command or two and the first turns of new code are allowed for.
      assertThat(least).isLessThan(2L * MESSAGES);
    }
  }
}
