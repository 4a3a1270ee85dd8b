package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.replacement.Arriving;
import org.rddp.daemon.replacement.Departing;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.daemon.replacement.Replacements;
import org.rddp.daemon.replacement.Successor;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/**
 * Two processes, one of which is killed (SIGKILL) while it gives or takes the other's place: one of
 * them has the port afterwards, or none, and never both.
 */
@Timeout(120)
class ReplacementKillsTest {
  @TempDir private Path directory;
  private final List<Process> processes = new ArrayList<>();
  private Child old;

  /** A process and its output. */
  private record Child(Process process, BufferedReader output) {
    String line() throws IOException {
      return output.readLine();
    }
  }

  @BeforeEach
  void start() {
    processes.clear();
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Process each : processes) {
      each.destroyForcibly().waitFor();
    }
  }

  private Child start(String role, String killedIn) throws IOException {
    Process process = ChildJvm.start(Main.class, directory.toString(), role, killedIn);
    processes.add(process);
    return new Child(
        process,
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
  }

  private void startOld(String killedIn) throws IOException {
    old = start("old", killedIn);
    assertThat(old.line()).isEqualTo("runs with 42");
  }

  @Test
  void shouldRunInTheNewProcess() throws Exception {
    startOld("");
    assertThat(start("new", "").line()).isEqualTo("runs with 42");
    assertThat(old.line()).isEqualTo("another daemon has taken this one's place");
  }

  /** As when a daemon is killed today: none runs. */
  @ParameterizedTest
  @ValueSource(strings = {"rehearse", "memories", "stop", "write"})
  void shouldGiveUpIfTheOldOneIsKilledBeforeItHasLetGo(String call) throws Exception {
    startOld(call);
    assertThat(start("new", "").line()).isEqualTo("refused: the daemon that runs has ended");
    assertThat(old.line()).isNull();
  }

  @Test
  void shouldRunInTheNewProcessIfTheOldOneIsKilledLater() throws Exception {
    startOld("leave");
    assertThat(start("new", "").line()).isEqualTo("runs with 42");
    assertThat(old.line()).isEqualTo("another daemon has taken this one's place");
    assertThat(old.line()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "map", "adopt"})
  void shouldGoOnIfTheNewOneIsKilled(String call) throws Exception {
    startOld("");
    assertThat(start("new", call).line()).isNull();
    if (call.equals("adopt")) {
      assertThat(old.line()).isEqualTo("runs with 42");
    }
    assertThat(old.line()).startsWith("another daemon has not got this one's place");
    assertThat(start("new", "").line()).isEqualTo("runs with 42");
  }

  /** As when a daemon is killed today: none runs. */
  @Test
  void shouldNotGoOnIfTheNewOneIsKilledWhenItHasBegun() throws Exception {
    startOld("");
    assertThat(start("new", "begin").line()).isNull();
    assertThat(old.line()).isEqualTo("another daemon has taken this one's place");
  }

  /** A daemon with a number, and a port that is the lock of a file. */
  private static final class Place implements Departing, Arriving {
    private static final SystemCall KILL = SystemCall.bind("kill", "i:ii");
    private static final int SIGKILL = 9;

    private final Path file;
    private final String killedIn;
    private long number;
    private FileLock port;

    Place(Path file, String killedIn, long number) {
      this.file = file;
      this.killedIn = killedIn;
      this.number = number;
    }

    private void at(String call) {
      if (call.equals(killedIn)) {
        try {
          KILL.call(ProcessHandle.current().pid(), SIGKILL);
        } catch (SystemCallException e) {
          throw new AssertionError(e);
        }
      }
    }

    void run() {
      try {
        FileChannel opened =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        port = opened.tryLock();
        System.out.println(port == null ? "two have the port" : "runs with " + number);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private void transfer(Snapshot snapshot) {
      snapshot.begin(Place.class);
      number = snapshot.number("number", number);
      snapshot.end();
    }

    @Override
    public void admit(int successor, String interfaces) {
      at("admit");
    }

    @Override
    public void rehearse() {
      at("rehearse");
    }

    @Override
    public List<Descriptor> memories(int most) {
      at("memories");
      return List.of();
    }

    @Override
    public String interfaces() {
      return "one";
    }

    @Override
    public void map(List<Descriptor> memories) {
      at("map");
    }

    @Override
    public String stop() {
      try {
        port.acquiredBy().close();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      at("stop");
      return "";
    }

    @Override
    public List<Descriptor> write(SnapshotWriter snapshot) {
      transfer(snapshot);
      at("write");
      return List.of();
    }

    @Override
    public void resume() {
      run();
    }

    @Override
    public void leave() {
      at("leave");
    }

    @Override
    public void prepare() {
      at("prepare");
    }

    @Override
    public void take(String devices) {
      // It has no devices.
    }

    @Override
    public void release() {
      // It has no devices.
    }

    @Override
    public void adopt(SnapshotReader snapshot, List<Descriptor> descriptors) {
      transfer(snapshot);
      at("adopt");
    }

    @Override
    public void begin() {
      at("begin");
      run();
    }

    @Override
    public void settle() {}

    @Override
    public void discard() {}
  }

  /** The processes. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      Path control = directory.resolve("rddpd.sock");
      boolean first = arguments[1].equals("old");
      Place place = new Place(directory.resolve("port"), arguments[2], first ? 42 : 0);
      if (first) {
        // The test begins when it says that it runs.
        Replacements replacements = Replacements.start(control, place, System.out::println);
        place.run();
        awaitEnd();
        replacements.close();
      } else {
        try {
          new Successor(control, place).takeOver();
          awaitEnd();
        } catch (ReplacementException e) {
          System.out.println("refused: " + e.getMessage());
        }
      }
    }

    private static void awaitEnd() throws IOException {
      while (System.in.read() >= 0) {
        // Until the test ends.
      }
    }
  }
}
