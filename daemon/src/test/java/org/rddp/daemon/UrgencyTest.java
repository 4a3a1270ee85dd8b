package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.linux.TimeSlice;

class UrgencyTest {
  private static final Executor NEW_THREAD = task -> new Thread(task).start();

  private final int usual = onNewThread(ThreadScheduling::nice);

  /** Executors start threads when they have something to do, which may be in the pause first. */
  @Test
  void shouldNotBeInheritedByThreadsThatAreStartedMeanwhile() {
    assumeTrue(onNewThread(UrgencyTest::urgent) < usual, "without CAP_SYS_NICE");
    int value =
        onNewThread(() -> {
          Urgency urgency = urgency("normal");
          urgency.begin();
          assertThat(onNewThread(ThreadScheduling::nice)).isEqualTo(usual);
          assertThat(onNewThread(() -> (int) TimeSlice.current()))
              .isNotEqualTo((int) TimeSlice.SHORTEST);
          urgency.end();
          assertThat(TimeSlice.current()).isNotEqualTo(TimeSlice.SHORTEST);
          return ThreadScheduling.nice();
        });
    assertThat(value).isEqualTo(usual);
  }

  @Test
  void shouldNotBeGivenToADaemonWhoseEnginesYield() {
    int value =
        onNewThread(() -> {
          urgency("nice 1").begin();
          return ThreadScheduling.nice();
        });
    assertThat(value).isEqualTo(usual);
  }

  private static int urgent() {
    urgency("normal").begin();
    return ThreadScheduling.nice();
  }

  private static Urgency urgency(String priority) {
    String text =
        """
        [engine]
        priority = "%s"
        [[interface]]
        name = "one"
        device = "net_null0"
        address = "10.0.0.1/24"
        """
            .formatted(priority);
    try {
      return new Urgency(ConfigurationFile.parse("test", text).engine());
    } catch (ConfigurationException e) {
      throw new AssertionError(e);
    }
  }

  private static int onNewThread(IntSupplier what) {
    return CompletableFuture.supplyAsync(what::getAsInt, NEW_THREAD).join();
  }
}
