package org.rddp.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.rddp.rig.NetworkNamespace;

/** The command {@code rddp daemon} in a process of its own. */
final class DaemonProcess implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 60;

  private final Process process;
  private final Thread reader;
  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  private DaemonProcess(Process process) {
    this.process = process;
    this.reader = Thread.ofPlatform().daemon().start(this::read);
  }

  /** Whether the shim over DPDK has been built. */
  static boolean hasDpdk() {
    return Files.exists(Path.of(System.getProperty("rddp.native")));
  }

  /** Starts the daemon with a configuration and further options. */
  static DaemonProcess start(Path configuration, String... options) throws IOException {
    return start(List.of(), configuration, options);
  }

  /** Starts the daemon in a network namespace. */
  static DaemonProcess startIn(NetworkNamespace namespace, Path configuration, String... options)
      throws IOException {
    return start(List.of("nsenter", "--net=" + namespace.file()), configuration, options);
  }

  /** Starts a class of tests in a network namespace, with a configuration. */
  static DaemonProcess startIn(NetworkNamespace namespace, Class<?> main, Path configuration)
      throws IOException {
    List<String> prefix = List.of("nsenter", "--net=" + namespace.file());
    return start(prefix, List.of(main.getName(), configuration.toString()));
  }

  /** Starts the daemon by a command that takes another command as its last arguments. */
  static DaemonProcess start(List<String> prefix, Path configuration, String... options)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(Main.class.getName(), "daemon", "--config", configuration.toString()));
    arguments.addAll(List.of(options));
    return start(prefix, arguments);
  }

  private static DaemonProcess start(List<String> prefix, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--") && !argument.startsWith("--add-modules")) {
        command.add(argument);
      }
    }
    command.addAll(
        List.of(
            "-Drddp.native=" + System.getProperty("rddp.native"),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Drddp.without-vectors=true",
            "-cp",
            System.getProperty("java.class.path")));
    command.addAll(arguments);
    return new DaemonProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  private void read() {
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** Waits for a line of its output, earlier or later. */
  synchronized String awaitLine(Predicate<String> wanted) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    while (true) {
      for (String line : lines) {
        if (wanted.test(line)) {
          return line;
        }
      }
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (ended || left <= 0) {
        throw new AssertionError("the daemon did not print that line, but:\n" + output());
      }
      wait(left);
    }
  }

  /** Waits until programs can connect. */
  void awaitReady() throws InterruptedException {
    awaitLine(line -> line.startsWith("ready: "));
  }

  /** What it has printed so far. */
  synchronized String output() {
    return String.join("\n", lines);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends it a signal, such as {@code TERM}. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start().waitFor();
  }

  /** Waits for its end; its exit code. */
  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the daemon does not end; it printed:\n" + output());
    }
    reader.join();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
