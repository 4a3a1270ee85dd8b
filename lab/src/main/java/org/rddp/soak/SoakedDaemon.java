package org.rddp.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.JavaProcess;

/** A process of the daemon in a soak, which a successor may replace. */
final class SoakedDaemon implements AutoCloseable {
  static final String SINK_ADDRESS = "10.98.0.2";

  /** Time for leftovers of ended programs to be freed, and for the daemon to start and to end. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final int MEBIBYTES = 256;

  /** Growth of resident memory in KiB that is no leak: the JVM compiles and loads classes. */
  private static final long GROWTH = 32 << 10;

  /** Audits after which resident memory must not grow further. */
  private static final int WARM = 3;

  /** All of the heap is resident from the start, so that it cannot hide what grows. */
  private static final List<String> FLAGS =
      List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

  private final Path folder;
  private final Path socket;
  private final Path log;
  private final JavaProcess process;

  /** What it held before programs came; of a successor the daemon before it. */
  private Holdings atStart;

  /** Whether {@link #atStart} says what this process has, or one that began alike. */
  private boolean knowsProcess;

  private final boolean isSuccessor;
  private int audits;
  private long warmMemory;

  private SoakedDaemon(Path folder, int life, SoakedDaemon replaced) throws IOException {
    this.folder = folder;
    isSuccessor = replaced != null;
    socket = folder.resolve("rddpd.sock");
    log = folder.resolve("daemon-" + life + ".log");
    ConfigurationText text =
        new ConfigurationText()
            .control(socket)
            .dpdk(MEBIBYTES)
            .idle("backoff")
            .port("one", "ring:soak", "10.98.0.1/24", "packets", 8192)
            .port("two", "ring:soak", SINK_ADDRESS + "/24", "packets", 8192);
    Path configuration = Files.writeString(folder.resolve("rddpd.toml"), text.toString());
    List<String> command =
        new ArrayList<>(List.of("daemon", "--config", configuration.toString(), "--until-eof"));
    if (isSuccessor) {
      command.add("--replace");
      atStart = replaced.atStart;
      knowsProcess = replaced.isSuccessor && replaced.knowsProcess;
    }
    process = JavaProcess.command("daemon", log, FLAGS, command);
  }

  /**
   * Starts a daemon with two interfaces that a ring connects, and counts what it holds.
   *
   * @param number of its process
   */
  static SoakedDaemon start(Path folder, int number) throws IOException, InterruptedException {
    SoakedDaemon started = new SoakedDaemon(folder, number, null);
    started.process.awaitLine("ready:", PATIENCE);
    try (Rddp session = started.open()) {
      started.atStart = started.holdingsAtStart(session);
    }
    started.knowsProcess = true;
    return started;
  }

  /**
   * Starts a daemon that takes the place of this one, and does not wait for that.
   *
   * @param number of its process
   */
  SoakedDaemon startSuccessor(int number) throws IOException {
    return new SoakedDaemon(folder, number, this);
  }

  /** Whether this successor gets the place; waits until that is certain. */
  boolean takesOver() throws InterruptedException {
    try {
      process.awaitLine("ready:", PATIENCE);
      return true;
    } catch (IOException ended) {
      return false;
    }
  }

  /**
   * Whether this daemon serves programs, though a successor was started; waits for its end if it
   * does not.
   */
  boolean goesOn() throws InterruptedException {
    try (Rddp _ = SoakProgram.open(socket, "one")) {
      return true;
    } catch (RddpException | IllegalStateException e) {
      process.awaitEnd(PATIENCE);
      return false;
    }
  }

  /** Waits for counters that include this session: the daemon refreshes them now and then. */
  private Holdings holdingsAtStart(Rddp session) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Holdings holdings;
    do {
      TimeUnit.MILLISECONDS.sleep(150);
      holdings = Holdings.of(session, process.handle().pid());
    } while (holdings.sessions() == 0 && System.nanoTime() < deadline);
    return holdings;
  }

  Path socket() {
    return socket;
  }

  private Rddp open() throws IOException {
    try {
      return SoakProgram.open(socket, "one");
    } catch (RddpException e) {
      throw new IOException(e.getMessage() + process.logEnd(), e);
    }
  }

  /** Whether it has ended without having been told to. */
  boolean hasDied() {
    return !process.handle().isAlive();
  }

  /**
   * Waits until the daemon holds what it held at its start. All programs must have ended.
   *
   * @param problems gets a line for everything that it still holds after a while, or if it grows
   * @return its resident memory in KiB
   */
  long audit(List<String> problems) throws IOException, InterruptedException {
    long pid = process.handle().pid();
    try (Rddp session = open()) {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      String difference;
      do {
        TimeUnit.MILLISECONDS.sleep(150);
        Holdings now = Holdings.of(session, pid);
        if (!knowsProcess) {
          atStart = atStart.withProcess(now);
        }
        difference = now.difference(atStart);
      } while (!difference.isEmpty() && System.nanoTime() < deadline);
      if (!difference.isEmpty()) {
        problems.add("the daemon still holds: " + difference);
      }
      knowsProcess = true;
    }
    return auditMemory(problems, Holdings.residentMemory(pid));
  }

  private long auditMemory(List<String> problems, long memory) {
    audits++;
    if (audits <= WARM) {
      warmMemory = memory;
    } else if (memory > warmMemory + GROWTH) {
      problems.add(
          "resident memory has grown from %d to %d KiB in %d audits"
              .formatted(warmMemory, memory, audits - WARM));
    }
    return memory;
  }

  /** Kills it. */
  void kill(List<String> problems) throws IOException, InterruptedException {
    process.kill();
    end(problems);
  }

  /** Ends it in order (SIGTERM), and checks that. */
  void stop(List<String> problems) throws IOException, InterruptedException {
    process.terminate();
    if (!process.awaitEnd(PATIENCE)) {
      problems.add("the daemon did not end within " + PATIENCE.toSeconds() + " s");
    } else if (process.exitCode() != 0) {
      problems.add("the daemon ended with code " + process.exitCode());
    } else if (Files.exists(socket)) {
      problems.add("the daemon has left its socket behind");
    }
    end(problems);
  }

  /** Waits for the end of a daemon that another one has replaced, and checks that. */
  void leave(List<String> problems) throws IOException, InterruptedException {
    if (!process.awaitEnd(PATIENCE)) {
      problems.add("the replaced daemon did not end within " + PATIENCE.toSeconds() + " s");
    } else if (process.exitCode() != 0) {
      problems.add("the replaced daemon ended with code " + process.exitCode());
    }
    end(problems);
  }

  /** The last lines of its log. */
  String logEnd() throws IOException {
    return process.logEnd();
  }

  /** Waits for its end, and looks for internal errors in its log. */
  private void end(List<String> problems) throws IOException, InterruptedException {
    process.awaitEnd(PATIENCE);
    close();
    Files.readAllLines(log).stream()
        .filter(line -> line.contains("internal error"))
        .limit(3)
        .forEach(line -> problems.add("the daemon's log: " + line));
  }

  @Override
  public void close() {
    process.close();
  }
}
