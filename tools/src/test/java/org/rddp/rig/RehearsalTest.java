package org.rddp.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;

/** A process that has opened its devices rehearses with others. */
@Timeout(120)
class RehearsalTest {
  private static final String REHEARSED = "rehearsed";

  /** Octets that a rehearsal may map at a time, with those of its threads. */
  private static final long MOST_MEMORY = 4L << 30;

  @TempDir private Path folder;

  @Test
  void shouldRehearseBesideTheDevicesOfTheProcess() throws Exception {
    String shim = System.getProperty("rddp.native");
    assumeThat(Path.of(shim)).exists();
    Path log = folder.resolve("log");
    List<String> arguments = List.of(folder.resolve("rddpd.sock").toString());
    // HotSpot's first compiler is slow at vectors.
    List<String> flags = List.of("-Drddp.native=" + shim, "-Drddp.without-vectors=true");
    try (JavaProcess process =
        new JavaProcess("rehearsal", log, flags, Main.class.getName(), arguments)) {
      assertThat(process.awaitLine(REHEARSED, Duration.ofSeconds(110))).isEqualTo(REHEARSED);
      assertThat(process.awaitEnd(Duration.ofSeconds(10))).isTrue();
      assertThat(process.exitCode()).isZero();
    }
  }

  /** The process. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
      Configuration own =
          new ConfigurationText()
              .control(Path.of(arguments[0]))
              .dpdk(64, false, "error")
              .port("one", "ring:own", "10.9.0.1/24", "packets", 1024)
              .table("[interface.ipsec]", "default", "require")
              .port("two", "ring:own", "10.9.0.2/24", "packets", 1024)
              .parse("own");
      Configuration bySockets =
          new ConfigurationText()
              .control(Path.of(arguments[0]))
              .port("one", "linux:none", "10.9.0.1/24")
              .parse("by sockets");
      try (DpdkPorts ports = DpdkPorts.open(own)) {
        assertThat(Rehearsal.ofStart(own, () -> true)).isZero();
        long before = peak();
        assertThat(Rehearsal.ofStart(own, () -> false)).isPositive();
        assertThat(Rehearsal.ofEnd(bySockets, () -> false)).isPositive();
        assertThat(ports.devices()).allMatch(each -> each.pool().available() > 0);
        assertThat(peak() - before).isLessThan(MOST_MEMORY);
        shouldLeaveNothingOfWhatFails(own);
      }
      System.out.println(REHEARSED);
      System.exit(0);
    }

    /** The most memory that the process has had mapped, in octets. */
    private static long peak() throws IOException {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
        String line = lines.filter(each -> each.startsWith("VmPeak:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }

    private static long descriptors() throws IOException {
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        return open.count();
      }
    }

    private static void shouldLeaveNothingOfWhatFails(Configuration own) throws IOException {
      long open = descriptors();
      BooleanSupplier fails =
          () -> {
            throw new OutOfMemoryError("none left");
          };
      assertThatThrownBy(() -> Rehearsal.ofEnd(own, fails))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("none left");
      assertThat(descriptors()).isEqualTo(open);
    }
  }
}
