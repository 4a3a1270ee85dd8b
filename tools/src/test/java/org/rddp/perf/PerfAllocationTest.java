package org.rddp.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.Rddp;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import org.rddp.perf.PerfSettings.Test;
import org.rddp.transfer.EchoServer;

/** What a measurement allocates does not depend on the number of operations. */
@Timeout(120)
class PerfAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int FEW = 500;
  private static final int MANY = 4_500;
  private static final int SIZE = 8;

  /** Rounds, of which at least one must be free of the JVM's own allocations. */
  private static final int ROUNDS = 5;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final Thread server =
      new Thread(() -> new EchoServer(there, SIZE, line -> {}).serve(7471), "echo");

  @BeforeEach
  void serve() {
    server.start();
  }

  @AfterEach
  void close() throws InterruptedException {
    server.interrupt();
    server.join();
    here.close();
    there.close();
    daemon.close();
  }

  private boolean listens() {
    InetSocketAddress address = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7471);
    try (Connection _ = here.connect(address, PrivateData.NONE, Duration.ofSeconds(10))) {
      return true;
    } catch (ConnectionFailedException e) {
      return false;
    }
  }

  private void run(Test test, Verb verb, int iterations) {
    PerfSettings settings =
        new PerfSettings(
            test,
            verb,
            16,
            1,
            test == Test.BW,
            0,
            0,
            Waiting.YIELD,
            0,
            iterations,
            Long.MAX_VALUE,
            0,
            false);
    InetSocketAddress address = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7471);
    try (Rddp session = daemon.connect("one")) {
      PerfRun run =
          new PerfRun(session, RemoteHost.of(address), settings, List.of(SIZE), new StopSignal());
      if (test == Test.LAT) {
        assertThat(run.latency(SIZE).nanoseconds().getTotalCount()).isEqualTo(iterations);
      } else {
        assertThat(run.bandwidth(SIZE).messages()).isEqualTo(2L * iterations);
      }
    }
  }

  private long allocated(Test test, Verb verb, int iterations) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    run(test, verb, iterations);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private void assertAllocatesNothing(Test test, Verb verb) {
    TestDaemon.await(this::listens, "the server listens");
    run(test, verb, FEW);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ROUNDS && least > MANY; i++) {
      least = Math.min(least, allocated(test, verb, MANY) - allocated(test, verb, FEW));
    }
    assertThat(least).as("octets for %d operations more", MANY - FEW).isLessThan(2 * MANY);
  }

  @ParameterizedTest
  @EnumSource(Verb.class)
  void shouldAllocateNothingForALatency(Verb verb) {
    assertAllocatesNothing(Test.LAT, verb);
  }

  @ParameterizedTest
  @EnumSource(Verb.class)
  void shouldAllocateNothingForThroughput(Verb verb) {
    assertAllocatesNothing(Test.BW, verb);
  }
}
