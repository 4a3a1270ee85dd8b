package org.rddp.bench.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * An unmodified program in a process of its own, whose output goes to a file. When closed it is
 * told to end, as servers with children must be, and killed if it does not.
 */
public final class ProgramRun implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 30;
  private static final long END_SECONDS = 5;
  private static final long POLL_MILLIS = 20;

  private final Path output;
  private final Process process;

  /**
   * Starts it.
   *
   * @param cpus that it may use, as taskset's option -c takes them
   * @param words the program and its arguments
   * @param environment in addition to that of this process
   * @param output file for both of its outputs
   * @throws CannotRunException if there is no such program
   */
  public ProgramRun(String cpus, List<String> words, Map<String, String> environment, Path output)
      throws CannotRunException {
    this.output = output;
    requireProgram(words.getFirst());
    List<String> command = new ArrayList<>(List.of("taskset", "-c", cpus));
    command.addAll(words);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new CannotRunException(e.getMessage());
    }
  }

  private static void requireProgram(String name) throws CannotRunException {
    // A path resolves to itself.
    if (Stream.of(System.getenv("PATH").split(":", -1))
        .noneMatch(folder -> Files.isExecutable(Path.of(folder).resolve(name)))) {
      throw new CannotRunException("needs " + name + ", which is not installed");
    }
  }

  /**
   * Waits until it is ready.
   *
   * @throws IOException with its output, if it ends before, or is not ready within half a minute
   */
  public void await(BooleanSupplier ready) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (!ready.getAsBoolean()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new IOException("the server does not listen: " + output());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /**
   * Waits for its end.
   *
   * @return what it has printed
   * @throws IOException if it does not end within half a minute, or with another code than 0
   */
  public String finish() throws IOException, InterruptedException {
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("no end within " + DEADLINE_SECONDS + " s: " + output());
    }
    if (process.exitValue() != 0) {
      throw new IOException("code " + process.exitValue() + ": " + output());
    }
    return output();
  }

  /** What it has printed so far. */
  public String output() throws IOException {
    return Files.readString(output, StandardCharsets.UTF_8).strip();
  }

  /** Its process. */
  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().onExit().join();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
