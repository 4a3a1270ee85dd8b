package org.rddp.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;

/** A process that has opened its devices rehearses with others. */
@Timeout(120)
class RehearsalTest {
  private static final String REHEARSED = "rehearsed";

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
        assertThat(Rehearsal.ofStart(own, () -> false)).isPositive();
        assertThat(Rehearsal.ofEnd(bySockets, () -> false)).isPositive();
        assertThat(ports.devices()).allMatch(each -> each.pool().available() > 0);
      }
      System.out.println(REHEARSED);
      System.exit(0);
    }
  }
}
