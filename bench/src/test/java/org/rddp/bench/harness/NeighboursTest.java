package org.rddp.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;

/**
 * A pinned thread's child processes may use all CPUs, and it still finds both CPUs of a benchmark.
 */
@Timeout(60)
class NeighboursTest {
  @Test
  void shouldRunOnAnyCpuThoughAPinnedThreadStartsThem() throws Exception {
    try (PinnedThread<List<String>> thread =
        PinnedThread.start("pinned", Cpus.near(), NeighboursTest::cpusOfOne)) {
      assertThat(thread.join()).isEqualTo(allowed(ProcessHandle.current().pid()));
    }
  }

  @Test
  void shouldHaveTwoCpusThoughTheThreadIsPinned() throws Exception {
    int far = Cpus.far();
    assertThat(Affinity.ofProcess()).hasSizeGreaterThan(1);
    try (PinnedThread<Integer> thread = PinnedThread.start("pinned", Cpus.near(), Cpus::far)) {
      assertThat(thread.join()).isEqualTo(far).isNotEqualTo(Cpus.near());
    }
  }

  /** The CPUs of a neighbour, once it loops. */
  private static List<String> cpusOfOne() throws Exception {
    Set<Long> before = children();
    try (Neighbours one = Neighbours.of(RigMain.beside(1, Json.of("millis", 1)))) {
      long child =
          children().stream().filter(each -> !before.contains(each)).findFirst().orElseThrow();
      Path name = Path.of("/proc/" + child + "/comm");
      while (!Files.readString(name).equals("sh\n")) {
        Thread.onSpinWait();
      }
      assertThat(one.cpus()).isNotNegative();
      return allowed(child);
    }
  }

  private static Set<Long> children() {
    return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  private static List<String> allowed(long process) throws Exception {
    return Files.readAllLines(Path.of("/proc/" + process + "/status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .toList();
  }
}
