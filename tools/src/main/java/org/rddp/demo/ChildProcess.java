package org.rddp.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.rddp.dpdk.Eal;

/**
 * Another process of this program: the same JVM and class path, another command. Its standard input
 * stays open as long as this process lives, so that it can end when this one does.
 */
final class ChildProcess implements AutoCloseable {
  private static final Duration TERMINATION = Duration.ofSeconds(10);
  private static final String MAIN = "org.rddp.cli.Main";
  private static final String END = "";

  private final String name;
  private final Process process;
  private final Path log;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  /**
   * Starts it.
   *
   * @param name for messages and its log
   * @param directory where its log goes
   * @param command the command and its arguments
   */
  ChildProcess(String name, Path directory, List<String> command) throws IOException {
    this.name = name;
    this.log = directory.resolve(name + ".log");
    List<String> all = new ArrayList<>();
    all.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    all.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    // Small heaps: with the parallel collectors' threads, few cores would be fewer still.
    all.addAll(List.of("-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), MAIN));
    all.addAll(command);
    process = new ProcessBuilder(all).redirectError(log.toFile()).start();
    Thread reader = new Thread(this::readLines, "output of " + name);
    reader.setDaemon(true);
    reader.start();
  }

  private void readLines() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // The process is being ended.
      lines.add(END);
      return;
    }
    lines.add(END);
  }

  /**
   * Waits for a line of its standard output.
   *
   * @param beginning how it begins
   * @throws DemoException when it ends, or the time does, without one
   */
  String awaitLine(String beginning, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new DemoException(
            "the process '"
                + name
                + "' has not come so far within "
                + timeout.toSeconds()
                + " s"
                + lastWords());
      }
      if (line.startsWith(beginning) && !line.isEmpty()) {
        return line;
      }
      if (line.equals(END) && !process.isAlive()) {
        throw new DemoException("the process '" + name + "' has ended" + lastWords());
      }
    }
  }

  private String lastWords() {
    try {
      List<String> said = Files.readAllLines(log);
      List<String> last = said.subList(Math.max(0, said.size() - 12), said.size());
      return last.isEmpty() ? "" : "; it said:\n  " + String.join("\n  ", last);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for its end; false when it does not come. */
  boolean awaitEnd(Duration timeout) throws InterruptedException {
    return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Asks it to end, and ends it by force when it does not. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!awaitEnd(TERMINATION)) {
        process.destroyForcibly();
        awaitEnd(TERMINATION);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    if (!process.isAlive()) {
      Eal.removeLeftovers(process.pid());
    }
  }
}
