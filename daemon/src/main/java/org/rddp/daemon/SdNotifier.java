package org.rddp.daemon;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.rddp.ipc.linux.DatagramSender;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Reports the daemon's state to the service manager that has started it, as sd_notify(3) describes.
 * Does nothing without a service manager. Any thread may call.
 */
final class SdNotifier implements AutoCloseable {
  private static final Duration NO_WATCHDOG = Duration.ZERO;

  private final DatagramSender sender;
  private final Duration watchdog;
  private final PrintStream out;
  private boolean failed;

  private SdNotifier(DatagramSender sender, Duration watchdog, PrintStream out) {
    this.sender = sender;
    this.watchdog = watchdog;
    this.out = out;
  }

  /**
   * Creates a notifier for the service manager that the environment names.
   *
   * @param environment of the process: {@code NOTIFY_SOCKET}, {@code WATCHDOG_USEC} and {@code
   *     WATCHDOG_PID} count
   * @param out gets a line if the service manager cannot be notified
   */
  static SdNotifier of(Map<String, String> environment, PrintStream out) {
    String address = environment.get("NOTIFY_SOCKET");
    if (address == null) {
      return new SdNotifier(null, NO_WATCHDOG, out);
    }
    try {
      return new SdNotifier(new DatagramSender(address), watchdog(environment), out);
    } catch (SystemCallException | IllegalArgumentException e) {
      out.println("the service manager cannot be told anything: NOTIFY_SOCKET: " + e.getMessage());
      return new SdNotifier(null, NO_WATCHDOG, out);
    }
  }

  private static Duration watchdog(Map<String, String> environment) {
    String process = environment.get("WATCHDOG_PID");
    if (process != null && !process.equals(Long.toString(ProcessHandle.current().pid()))) {
      return NO_WATCHDOG;
    }
    String microseconds = environment.getOrDefault("WATCHDOG_USEC", "0");
    try {
      return Duration.ofNanos(Math.multiplyExact(Long.parseLong(microseconds), 1_000L));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("WATCHDOG_USEC is not a time in microseconds", e);
    }
  }

  /**
   * Time within which the service manager expects {@link #feedWatchdog}, again and again; zero if
   * it does not.
   */
  Duration watchdog() {
    return watchdog;
  }

  /** Reports that programs can connect. */
  void ready(String status) {
    send("READY=1\nSTATUS=" + status);
  }

  /**
   * Reports that the daemon has begun to end.
   *
   * @param longest time that this may take
   */
  void stopping(Duration longest) {
    send(
        "STOPPING=1\nSTATUS=closing connections and sessions\nEXTEND_TIMEOUT_USEC="
            + longest.toNanos() / 1_000);
  }

  /**
   * What keeps the service manager from taking another process for the service's; empty if nothing
   * does. It takes only those of the service (its cgroup), and ends the service with its process.
   */
  String keepsFrom(int process) {
    String other = cgroup(Integer.toString(process));
    return sender == null || (!other.isEmpty() && other.equals(cgroup("self")))
        ? ""
        : "this daemon is a service, and process %d, its successor, is not of the service"
            .formatted(process);
  }

  private static String cgroup(String process) {
    try {
      return Files.readString(Path.of("/proc", process, "cgroup"));
    } catch (IOException e) {
      // It has ended, or is hidden from this service.
      return "";
    }
  }

  /** Reports that another process is the service's main process from now on. */
  void replacedBy(int process) {
    send("MAINPID=" + process);
  }

  /** Reports that the daemon works. */
  void feedWatchdog() {
    send("WATCHDOG=1");
  }

  private synchronized void send(String state) {
    if (sender == null) {
      return;
    }
    try {
      sender.send(state);
      failed = false;
    } catch (SystemCallException e) {
      if (!failed) {
        out.println(
            "the service manager was not told "
                + state.lines().findFirst().orElse(state)
                + ": "
                + e.getMessage());
      }
      failed = true;
    }
  }

  @Override
  public synchronized void close() {
    if (sender != null) {
      sender.close();
    }
  }
}
