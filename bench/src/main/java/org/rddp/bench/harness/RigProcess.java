package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.rig.JavaProcess;
import org.rddp.soak.ProcessSignals;

/** A rig's process, as the comparison sees it. For one thread. */
final class RigProcess implements AutoCloseable {
  private static final Duration TERMINATION = Duration.ofSeconds(5);

  private final JavaProcess process;
  private boolean paused;

  /**
   * Starts the process; {@link #answer} then says whether the rig is open.
   *
   * @param log where its standard error goes
   */
  RigProcess(Contender contender, Path log) throws IOException {
    List<String> flags = new ArrayList<>(contender.flags());
    flags.add("-Djava.awt.headless=true");
    process =
        new JavaProcess(
            "rig of " + contender.name(),
            log,
            flags,
            RigMain.class.getName(),
            List.of(contender.rig().getName(), contender.arguments().toString()));
  }

  void ask(JsonObject task) throws IOException {
    process.writeLine(task.toString());
  }

  /**
   * Waits for the answer.
   *
   * @throws IOException when the process has ended, or does not answer
   */
  JsonObject answer(Duration timeout) throws IOException, InterruptedException {
    return JsonParser.parseString(process.readLine(timeout)).getAsJsonObject();
  }

  /** Stops it and everything that it has started. */
  void pause() throws IOException {
    if (!paused) {
      paused = true;
      for (ProcessHandle each : processes()) {
        ProcessSignals.stop(each.pid());
      }
    }
  }

  void resume() throws IOException {
    if (paused) {
      paused = false;
      for (ProcessHandle each : processes().reversed()) {
        ProcessSignals.resume(each.pid());
      }
    }
  }

  /** It, and everything that it has started. */
  private List<ProcessHandle> processes() {
    List<ProcessHandle> all = new ArrayList<>();
    all.add(process.handle());
    process.handle().descendants().forEach(all::add);
    return all;
  }

  /** Ends it, by force when it does not end by itself. */
  @Override
  public void close() {
    try {
      resume();
      process.endInput(TERMINATION);
    } catch (IOException e) {
      // It has ended already; what it has started is killed below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    processes().reversed().forEach(ProcessHandle::destroyForcibly);
    process.close();
  }
}
