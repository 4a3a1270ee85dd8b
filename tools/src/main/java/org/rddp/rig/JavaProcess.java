package org.rddp.rig;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A child process with the JVM, the flags and the class path of this one, unless it is one of an
 * installed copy. Its standard input stays open as long as this process lives, so that it can end
 * when this one does. For one thread.
 */
public final class JavaProcess implements AutoCloseable {
  private static final String MAIN = "org.rddp.cli.Main";

  private static final Duration TERMINATION = Duration.ofSeconds(10);
  private static final int LOG_LINES = 12;
  private static final String END = "";

  private final String name;
  private final Path log;
  private final Process process;
  private final Writer input;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  /**
   * Starts the process.
   *
   * @param name for messages
   * @param log file for its standard error; null to share this process's
   * @param flags of its JVM, beside those of this one
   * @param main its main class
   */
  public JavaProcess(String name, Path log, List<String> flags, String main, List<String> arguments)
      throws IOException {
    this(name, log, null, flags, main, arguments);
  }

  private JavaProcess(
      String name, Path log, File folder, List<String> flags, String main, List<String> arguments)
      throws IOException {
    this(name, log, folder, line(flags, main, arguments));
  }

  private JavaProcess(String name, Path log, File folder, List<String> command) throws IOException {
    this.name = name;
    this.log = log;
    ProcessBuilder builder = new ProcessBuilder(command);
    process =
        builder
            .directory(folder)
            .redirectError(
                log == null
                    ? ProcessBuilder.Redirect.INHERIT
                    : ProcessBuilder.Redirect.to(log.toFile()))
            .start();
    input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("output of " + name).start(this::readLines);
  }

  private static List<String> line(List<String> flags, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(arguments);
    return command;
  }

  /**
   * Starts a command of {@code bin/rddp}.
   *
   * @param name for messages
   * @param log file for its standard error; null to share this process's
   * @param flags of its JVM, beside those of this one
   * @param command the command and its arguments
   */
  public static JavaProcess command(String name, Path log, List<String> flags, List<String> command)
      throws IOException {
    return new JavaProcess(name, log, flags, MAIN, command);
  }

  /** Starts a command of {@code bin/rddp} in a folder that also has its log, {@code NAME.log}. */
  public static JavaProcess commandIn(
      Path folder, String name, List<String> flags, List<String> command) throws IOException {
    Path log = folder.resolve(name + ".log");
    return new JavaProcess(name, log, folder.toFile(), flags, MAIN, command);
  }

  /** Flags of a daemon that bin/setup/launch.sh has for no other command. */
  private static final List<String> DAEMON_FLAGS = List.of("-Xmn32m");

  /**
   * Starts a daemon that ends with its standard input, and shares this process's standard error.
   *
   * @param more further arguments
   */
  public static JavaProcess daemon(String name, Path configuration, String... more)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("daemon", "--until-eof", "--config"));
    arguments.add(configuration.toString());
    arguments.addAll(List.of(more));
    return command(name, null, DAEMON_FLAGS, arguments);
  }

  /**
   * Starts a daemon of an installed copy, with that copy's flags and class path, which ends with
   * its standard input, and shares this process's standard error.
   *
   * @param copy folder of the copy, which has {@code bin/rddp}
   */
  public static JavaProcess installedDaemon(
      String name, Path copy, Path configuration, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(copy.resolve("bin").resolve("rddp").toString());
    command.addAll(List.of("daemon", "--config", configuration.toString(), "--until-eof"));
    command.addAll(List.of(more));
    return new JavaProcess(name, null, null, command);
  }

  private void readLines() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isEmpty()) {
          lines.add(line);
        }
      }
    } catch (IOException e) {
      // The process is being ended.
      lines.add(END);
      return;
    }
    lines.add(END);
  }

  /** Writes a line to its standard input. */
  public void writeLine(String line) throws IOException {
    input.write(line + "\n");
    input.flush();
  }

  /**
   * Waits for the next line of its standard output that is not empty.
   *
   * @throws IOException when the process ends first, or the time is over; the message says which
   */
  public String readLine(Duration timeout) throws IOException, InterruptedException {
    return next(timeout.toNanos(), timeout);
  }

  /** The next line; waits at most {@code nanos}, the rest of the timeout. */
  private String next(long nanos, Duration timeout) throws IOException, InterruptedException {
    String line = lines.poll(nanos, TimeUnit.NANOSECONDS);
    if (line == null) {
      throw new IOException(
          "the process '"
              + name
              + "' did not print the awaited line within "
              + timeout.toMillis() / 1e3
              + " s");
    }
    if (line.equals(END)) {
      boolean ended = process.waitFor(1, TimeUnit.SECONDS);
      lines.add(END);
      throw new IOException(
          "the process '"
              + name
              + (ended
                  ? "' has ended with code " + process.exitValue()
                  : "' has closed its output"));
    }
    return line;
  }

  /**
   * Waits for a line of its standard output.
   *
   * @param prefix how the line begins
   * @throws IOException as {@link #readLine}, with the end of the log
   */
  public String awaitLine(String prefix, Duration timeout)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    try {
      String line = readLine(timeout);
      while (!line.startsWith(prefix)) {
        line = next(Math.max(0, deadline - System.nanoTime()), timeout);
      }
      return line;
    } catch (IOException e) {
      throw new IOException(e.getMessage() + logEnd(), e);
    }
  }

  /** The last lines of its log for a message; empty if it has no log of its own. */
  public String logEnd() throws IOException {
    if (log == null) {
      return "";
    }
    List<String> all = Files.readAllLines(log);
    List<String> last = all.subList(Math.max(0, all.size() - LOG_LINES), all.size());
    return last.isEmpty() ? "" : "; its last lines:\n  " + String.join("\n  ", last);
  }

  /** The lines of its standard output that have not been read, once it has ended. */
  public List<String> restOfOutput() throws InterruptedException {
    List<String> rest = new ArrayList<>();
    for (String line = lines.take(); !line.equals(END); line = lines.take()) {
      rest.add(line);
    }
    lines.add(END);
    return rest;
  }

  /** The process. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** Its exit code, once it has ended; 128 and the signal's number if a signal has ended it. */
  public int exitCode() {
    return process.exitValue();
  }

  /** Ends it at once (SIGKILL). What it has printed can still be read. */
  public void kill() {
    // Process.destroyForcibly would close this end of its output, and lose what it has printed.
    handle().destroyForcibly();
  }

  /** Asks it to end (SIGTERM). What it has printed, and prints, can still be read. */
  public void terminate() {
    handle().destroy();
  }

  /** CPU time that it has used, in ns. */
  public long cpuNanos() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  /**
   * CPU time that its present threads have used, in ns: finer than {@link #cpuNanos}, which counts
   * the kernel's ticks, but without threads that have ended.
   *
   * @throws IOException when the process has ended
   */
  public long threadNanos() throws IOException {
    long sum = 0;
    Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        String used = Files.readString(thread.resolve("schedstat")).split(" ", 2)[0];
        sum += Long.parseLong(used);
      }
    }
    return sum;
  }

  /** Waits for its end; false when the time is over before. */
  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Closes its standard input and waits for its end; false when the time is over before. */
  public boolean endInput(Duration timeout) throws IOException, InterruptedException {
    input.close();
    return awaitEnd(timeout);
  }

  /** Asks the process to end (SIGTERM), and kills it when it does not. */
  @Override
  public void close() {
    terminate();
    try {
      if (!awaitEnd(TERMINATION)) {
        kill();
        awaitEnd(TERMINATION);
      }
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
    }
  }
}
