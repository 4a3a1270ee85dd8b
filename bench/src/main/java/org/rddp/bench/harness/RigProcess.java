package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.rddp.dpdk.Eal;
import org.rddp.rig.ProcessSignals;

/** A rig's process, as the contest sees it. For one thread. */
final class RigProcess implements AutoCloseable {
  private static final Duration TERMINATION = Duration.ofSeconds(5);
  private static final String END = "";

  private final Process process;
  private final Writer tasks;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private boolean paused;

  /**
   * Starts the process; {@link #answer} then says whether the rig is open.
   *
   * @param log where its standard error goes
   */
  RigProcess(Contender entrant, Path log) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-Djava.awt.headless=true");
    command.addAll(entrant.flags());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            RigMain.class.getName(),
            entrant.rig().getName(),
            entrant.arguments().toString()));
    process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    tasks = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("answers of " + entrant.name()).start(this::readAnswers);
  }

  private void readAnswers() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      // The process is being ended.
      answers.add(END);
      return;
    }
    answers.add(END);
  }

  /** Gives it a task. */
  void ask(JsonObject task) throws IOException {
    tasks.write(task + "\n");
    tasks.flush();
  }

  /**
   * Waits for the answer.
   *
   * @throws IOException when the process has ended, or does not answer
   */
  JsonObject answer(Duration patience) throws IOException, InterruptedException {
    String line = answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (line == null) {
      throw new IOException("no answer within " + patience.toSeconds() + " s");
    }
    if (line.equals(END)) {
      process.waitFor(1, TimeUnit.SECONDS);
      throw new IOException(
          process.isAlive()
              ? "its process has closed its output"
              : "its process has ended with code " + process.exitValue());
    }
    return JsonParser.parseString(line).getAsJsonObject();
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

  /** Lets it go on. */
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
    all.add(process.toHandle());
    process.descendants().forEach(all::add);
    return all;
  }

  private void kill() {
    for (ProcessHandle each : processes().reversed()) {
      each.destroyForcibly();
    }
  }

  /** Ends it, by force when it does not end by itself. */
  @Override
  public void close() {
    try {
      resume();
      tasks.close();
      process.waitFor(TERMINATION.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      // It has gone already.
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<Long> ids = processes().stream().map(ProcessHandle::pid).toList();
    kill();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ids.forEach(Eal::removeLeftovers);
  }
}
