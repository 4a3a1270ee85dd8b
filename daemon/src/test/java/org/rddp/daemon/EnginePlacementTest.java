package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.configuration.MachineProblem;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.linux.TimeSlice;

/** The processors and the priority of the engine's threads. */
@Timeout(60)
class EnginePlacementTest {
  private static final int NICE_FIELD = 18;

  /** A larger nice value needs no rights. */
  @Test
  void shouldGiveTheEngineThreadItsProcessorAndPriority() throws IOException {
    int processor = ThreadScheduling.allowedProcessors()[0];
    TestDaemon daemon =
        new TestDaemon("[engine]\ncores = [%d]\npriority = \"nice 7\"".formatted(processor));
    TestDaemon.await(() -> niceOfTheEngine() == 7, "the engine thread has its priority");
    assertThat(Files.readAllLines(engine().resolve("status")))
        .contains("Cpus_allowed_list:\t" + processor);
    daemon.close();
  }

  private static Path engine() throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      return threads.filter(EnginePlacementTest::isEngine).findFirst().orElseThrow();
    }
  }

  private static boolean isEngine(Path thread) {
    try {
      return Files.readString(thread.resolve("comm")).equals("rddp-engine\n");
    } catch (IOException e) {
      return false;
    }
  }

  private static int niceOfTheEngine() {
    try {
      String fields = Files.readString(engine().resolve("stat")).replaceFirst(".*\\) ", "x x ");
      return Integer.parseInt(fields.split(" ", -1)[NICE_FIELD]);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldNameAProcessorThatThisProcessMayNotUse() throws Exception {
    assertThat(problems("cores = [8191]"))
        .singleElement()
        .asString()
        .startsWith("engine.cores: this process may not use processor 8191; allowed: 0");
  }

  @Test
  void shouldNotLetEngineThreadsTakeAllProcessors() throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    StringBuilder interfaces = new StringBuilder();
    for (int i = 0; i < processors; i++) {
      interfaces.append(port(i));
    }
    assertThat(
            problems(
                "engines = \"per-port\"\nidle = \"spin\"\npriority = \"fifo 1\"\n" + interfaces))
        .singleElement()
        .asString()
        .startsWith("engine.priority: \"fifo 1\" leaves no processor to other threads: ");
  }

  /** Linux tells the length of slices from 6.12 on. */
  @ParameterizedTest
  @ValueSource(strings = {"normal", "nice 3"})
  void shouldRunTheEngineThreadInShortTimeSlices(String priority) throws Exception {
    Configuration configuration = configuration("priority = \"" + priority + "\"");
    FutureTask<Long> slice =
        new FutureTask<>(() -> {
          new EnginePlacement(configuration.engine()).enter(0);
          return TimeSlice.current();
        });
    Thread.ofPlatform().start(slice);
    assertThat(slice.get()).isEqualTo(TimeSlice.current() == 0 ? 0 : TimeSlice.SHORTEST);
  }

  private static List<MachineProblem> problems(String engine) throws Exception {
    return EnginePlacement.problems(configuration(engine));
  }

  private static Configuration configuration(String engine) throws Exception {
    return ConfigurationFile.parse("test", "[engine]\n" + engine + "\n" + port(200));
  }

  private static String port(int number) {
    return """
    [[interface]]
    name = "port%1$d"
    device = "net_null%1$d"
    address = "10.0.%1$d.1/24"
    packets = 1024
    """
        .formatted(number);
  }
}
