package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.SessionLostException;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.daemon.replacement.Successor;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.SnapshotReader;

/** Daemons in processes of their own take each other's place, while programs of this one go on. */
@Timeout(120)
class ReplacedProcessTest {
  private static final String READY = "ready";
  private static final String FIRST = "first";
  private static final String NEXT = "next";
  private static final String KILLED = "killed";

  @TempDir private Path directory;
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (Process each : processes) {
      each.destroyForcibly().waitFor();
    }
  }

  private Process start(String role) throws IOException {
    Process process = ChildJvm.start(Main.class, directory.toString(), role);
    assertThat(firstLine(process)).isEqualTo(role.equals(KILLED) ? null : READY);
    return process;
  }

  private String firstLine(Process process) throws IOException {
    processes.add(process);
    return ChildJvm.firstLine(process);
  }

  private Rddp connect(String name) {
    return Rddp.connect(Main.socket(directory), RddpOptions.defaults().withInterfaceName(name));
  }

  private SteadyExchange exchange() {
    return new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO);
  }

  @Test
  void shouldGoOnInOneProcessAfterTheOther() throws Exception {
    Process old = start(FIRST);
    try (SteadyExchange exchange = exchange()) {
      for (int i = 0; i < 2; i++) {
        exchange.awaitMessages(100);
        Process next = start(NEXT);
        assertThat(old.waitFor()).isZero();
        assertThat(exchange.daemonPid()).isEqualTo(next.pid());
        old = next;
      }
      exchange.awaitMessages(100);
      try (SteadyExchange later = exchange()) {
        later.awaitMessages(100);
        exchange.awaitMessages(100);
      }
    }
    try (Rddp program = connect("one")) {
      Process last = start(NEXT);
      assertThat(old.waitFor()).isZero();
      last.destroyForcibly().waitFor();
      TestDaemon.await(() -> hasLost(program), "the program notices the end of the last daemon");
    }
  }

  private static boolean hasLost(Rddp program) {
    try {
      program.allocate(64).close();
      return false;
    } catch (SessionLostException e) {
      return true;
    }
  }

  @Test
  void shouldGoOnInTheOldProcessIfTheNewOneIsKilled() throws Exception {
    start(FIRST);
    try (SteadyExchange exchange = exchange()) {
      exchange.awaitMessages(100);
      start(KILLED);
      exchange.awaitMessages(100);
      start(NEXT);
      exchange.awaitMessages(100);
    }
  }

  @Test
  void shouldRefuseIfNoOtherProcessCanMapTheMemory() throws Exception {
    Process old =
        ChildJvm.startBy(WithoutImmutable.WRAPPER, Main.class, directory.toString(), FIRST);
    assertThat(firstLine(old)).isEqualTo(READY);
    try (SteadyExchange exchange = exchange()) {
      exchange.awaitMessages(100);
      Process next = ChildJvm.start(Main.class, directory.toString(), NEXT);
      assertThat(firstLine(next))
          .startsWith("it cannot be handed over now: pid ")
          .contains(" has rings that no other process can map");
      exchange.awaitMessages(100);
    }
  }

  /** The processes. */
  static final class Main {
    private Main() {}

    static Path socket(Path directory) {
      return directory.resolve("rddpd.sock");
    }

    public static void main(String[] arguments) throws Exception {
      String text =
          """
          [control]
          socket = "%s"
          [[interface]]
          name = "one"
          device = "ring:x"
          address = ["10.0.0.1/24"]
          [[interface]]
          name = "two"
          device = "ring:x"
          address = ["10.0.0.2/24"]
          """
              .formatted(socket(Path.of(arguments[0])));
      Configuration configuration = ConfigurationFile.parse("test", text);
      try {
        Daemon daemon =
            arguments[1].equals(FIRST)
                ? Daemon.start(configuration, ports(), System.err)
                : successor(configuration, arguments[1].equals(KILLED));
        System.out.println(READY);
        System.exit(daemon.awaitEnd() == null ? 0 : 1);
      } catch (ReplacementException refused) {
        System.out.println(refused.getMessage());
        System.exit(1);
      }
    }

    private static LoopedPorts ports() {
      return new LoopedPorts(4096, 0, 1, 1500);
    }

    private static Daemon successor(Configuration configuration, boolean killed)
        throws ReplacementException {
      ArrivingDaemon arriving =
          new ArrivingDaemon(configuration, Main::ports, System.err) {
            @Override
            public void adopt(SnapshotReader snapshot, List<Descriptor> descriptors)
                throws ReplacementException {
              super.adopt(snapshot, descriptors);
              if (killed) {
                Runtime.getRuntime().halt(1);
              }
            }
          };
      new Successor(configuration.controlSocket(), arriving).takeOver();
      return arriving.daemon();
    }
  }
}
