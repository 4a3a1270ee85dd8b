package org.rddp.interop.nic;

import java.nio.file.Path;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rddp.interop.guest.Guest;

/** The daemon in the guest. */
final class GuestDaemon {
  /** The guest's port on which the daemon runs. */
  private static final int OWN_PORT = 3;

  /** The guest's port for questions. */
  private static final int PORT = 2;

  private static final int START_SECONDS = 600;
  private static final int LIFE_SECONDS = 3600;
  private static final int ATTEMPTS = 400;
  private static final String PROCESS = "/run/daemon.pid";

  private final Guest guest;
  private final Path directory;
  private String log = "";
  private int starts;

  /**
   * Prepares a daemon; {@link #start} starts it.
   *
   * @param directory with {@code daemon}, a script that takes a configuration and its log
   */
  GuestDaemon(Guest guest, Path directory) {
    this.guest = guest;
    this.directory = directory;
  }

  /** Starts it with the configuration for an MTU, and waits until it is ready. */
  void start(int mtu) {
    nextLog();
    var _ = guest.start(OWN_PORT, LIFE_SECONDS, command(mtu));
    shell(awaitReady());
  }

  /** Lets another process take its place, and waits until it is ready and the former has ended. */
  void replace(int mtu) {
    String former = log;
    nextLog();
    shell(
        "setsid %s --replace </dev/null >/dev/null 2>&1 & %s; until grep -qs \"^ended with 0\" %s; do sleep 0.1; done"
            .formatted(command(mtu), awaitReady(), former));
  }

  private void nextLog() {
    log = "/run/daemon" + ++starts + ".log";
  }

  private String command(int mtu) {
    return "bash %s/daemon %s/guest%d.toml %s %s"
        .formatted(directory, directory, mtu, log, PROCESS);
  }

  private String awaitReady() {
    return "until grep -qs ^ready: %s; do sleep 0.3; if grep -qs ^ended %s; then cat %s; exit 1; fi; done"
        .formatted(log, log, log);
  }

  /** What {@code daemon --check --devices} says of each interface. */
  List<String> check(int mtu) {
    return shell("bash %s/check %s/guest%d.toml".formatted(directory, directory, mtu))
        .lines()
        .filter(line -> line.startsWith("interface "))
        .toList();
  }

  /** Kills it (SIGKILL): it cannot clean up. */
  void kill() {
    shell(
        "kill -9 $(cat %s); until grep -qs ^ended %s; do sleep 0.1; done".formatted(PROCESS, log));
  }

  /** What its log says of each interface: device, driver, queues, offloads. */
  List<String> interfaces() {
    return said().lines().filter(line -> line.contains(" daemon: interface ")).toList();
  }

  /** Whether its process is there. */
  boolean isAlive() {
    return guest.run(PORT, "bash -c 'kill -0 $(cat " + PROCESS + ")'").status() == 0;
  }

  /** Whether its log has a text. */
  boolean hasSaid(String text) {
    return guest.run(PORT, "grep -q -- '" + text + "' " + log).status() == 0;
  }

  /** All that it has printed. */
  String said() {
    return guest.run(PORT, "cat " + log).output();
  }

  /**
   * A metric of an interface, the sum of those of its engines.
   *
   * @param name without the prefix of all of them
   */
  long metric(String card, String name) {
    List<Long> found = metrics(card, name);
    if (found.isEmpty()) {
      throw new IllegalStateException("no metric " + name + " of " + card);
    }
    return found.stream().mapToLong(Long::longValue).sum();
  }

  /** A metric of each engine of an interface. */
  List<Long> metrics(String card, String name) {
    return Pattern.compile(
            "^rddp_" + name + "(?:_total)?\\{[^}]*\"" + card + "(?:/\\d+)?\"[^}]*\\} (\\d+)",
            Pattern.MULTILINE)
        .matcher(metrics())
        .results()
        .map(each -> Long.valueOf(each.group(1)))
        .toList();
  }

  /**
   * Waits until the metrics include all that has happened so far: they are copies of the engines'
   * counters, made several times a second, or every few seconds if the daemon is idle.
   */
  void refreshMetrics(String card) {
    long turns = metric(card, "engine_turns");
    await(card, "engine_turns", now -> now > turns);
  }

  /** Metrics of an interface that explain why nothing passes. */
  String state(String card) {
    String all = metrics();
    return Stream.of(
            "packets",
            "packets_free",
            "port_up",
            "port_no_buffer",
            "port_missed_frames",
            "port_received_frames",
            "port_sent_frames")
        .flatMap(name ->
            all.lines()
                .filter(
                    line -> line.matches("rddp_" + name + "(_total)?\\{.*\"" + card + "[/\"].*")))
        .map(line -> line.replaceFirst("^rddp_", ""))
        .collect(Collectors.joining(", "));
  }

  private String metrics() {
    return shell("busybox wget -qO- http://127.0.0.1:9470/metrics");
  }

  /** Waits until a metric has a value. */
  void await(String card, String name, LongPredicate wanted) {
    long value = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
      value = metric(card, name);
      if (wanted.test(value)) {
        return;
      }
    }
    throw new IllegalStateException(name + " of " + card + " stays " + value);
  }

  private String shell(String commands) {
    return shell(START_SECONDS, commands);
  }

  private String shell(int seconds, String commands) {
    return guest.start(PORT, seconds, "bash -c '" + commands + "'").join().orThrow().output();
  }
}
