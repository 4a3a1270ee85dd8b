package org.rddp.soak;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.rddp.rig.JavaProcess;
import org.rddp.rig.TemporaryFolder;

/**
 * Runs a daemon under programs that connect, transfer, misbehave, are stopped and killed, and
 * restarts it now and then. One seed decides what happens; the machine decides when. From time to
 * time all programs end, and the daemon must hold what it held at its start.
 */
public final class Soak implements AutoCloseable {
  private static final String PROGRAM = "org.rddp.lab.Lab";
  private static final int FIRST_PORT = 7471;
  private static final int SINKS = 2;
  private static final int SOURCES = 2;

  /** Disturbances between two audits. */
  private static final int DISTURBANCES = 5;

  /** Time for programs to start. */
  private static final Duration START = Duration.ofSeconds(60);

  /** Time for a program to end in order; a transfer may be in work. */
  private static final Duration END = Duration.ofSeconds(60);

  private final Random random;
  private final long seed;
  private final boolean replacesOnly;
  private final Consumer<String> progress;
  private final TemporaryFolder folder;
  private final Ledger ledger = new Ledger();
  private final List<String> problems = new ArrayList<>();
  private final Map<String, Integer> disturbances = new TreeMap<>();
  private final JavaProcess[] programs = new JavaProcess[SINKS + SOURCES];
  private final List<Long> memory = new ArrayList<>();
  private SoakedDaemon daemon;

  /**
   * When the last restart is due: none in the second half, to see whether the daemon's memory
   * grows.
   */
  private long lastRestart;

  /** How long the last replacement took: one is killed within that time. */
  private int replacementMillis = 8000;

  private int lives;
  private int started;

  /**
   * Prepares a soak.
   *
   * @param replacesOnly whether nothing happens but that daemons replace each other, and are killed
   *     meanwhile
   * @param progress gets a line for each audit
   */
  public Soak(long seed, boolean replacesOnly, Consumer<String> progress) throws IOException {
    this.seed = seed;
    this.replacesOnly = replacesOnly;
    this.random = new Random(seed);
    this.progress = progress;
    this.folder = new TemporaryFolder("rddp-soak-");
  }

  /**
   * Runs the soak.
   *
   * @return what was wrong; empty if nothing was
   */
  public List<String> run(Duration time) throws IOException, InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    lastRestart = System.nanoTime() + time.toNanos() / 2;
    startDaemon();
    do {
      startPrograms();
      for (int i = 0; i < DISTURBANCES && problems.isEmpty() && !isOver(end); i++) {
        TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(2500));
        disturb();
      }
      endPrograms();
      audit();
      if (problems.isEmpty() && random.nextInt(4) == 0 && !isOver(lastRestart)) {
        disturbances.merge("daemon stopped", 1, Integer::sum);
        daemon.stop(problems);
        startDaemon();
      }
    } while (problems.isEmpty() && !isOver(end));
    daemon.stop(problems);
    problems.addAll(ledger.problems());
    if (ledger.verifiedTransfers() == 0) {
      problems.add("no transfer was verified");
    }
    return List.copyOf(problems);
  }

  private static boolean isOver(long end) {
    return System.nanoTime() - end >= 0;
  }

  private void startDaemon() throws IOException, InterruptedException {
    daemon = SoakedDaemon.start(folder.path(), lives++);
  }

  // ---- Programs ----

  private void start(int index) throws IOException {
    List<String> command = new ArrayList<>(List.of("soak-program", "--socket"));
    command.add(daemon.socket().toString());
    if (index < SINKS) {
      command.addAll(List.of("--port", Integer.toString(FIRST_PORT + index)));
    } else {
      command.addAll(List.of("--seed", Long.toString((seed << 16) + started)));
      command.addAll(List.of("--sinks", SoakedDaemon.SINK_ADDRESS));
      for (int i = 0; i < SINKS; i++) {
        command.add(Integer.toString(FIRST_PORT + i));
      }
    }
    Path log = folder.resolve("program-" + started++ + ".log");
    List<String> flags = List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    programs[index] = new JavaProcess("program " + index, log, flags, PROGRAM, command);
  }

  private void startPrograms() throws IOException, InterruptedException {
    for (int i = 0; i < programs.length; i++) {
      start(i);
    }
    for (JavaProcess program : programs) {
      program.awaitLine(SoakProgram.BEGUN, START);
    }
  }

  /** Waits for the end of a program that has been told to end, and enters what it has printed. */
  private void close(int index) throws IOException, InterruptedException {
    JavaProcess program = programs[index];
    programs[index] = null;
    if (!program.awaitEnd(END)) {
      problems.add("a program does not end");
    }
    program.close();
    int code = program.exitCode();
    if (code != 0 && code != 128 + 9) {
      problems.add("a program has failed, with code " + code + ": " + program.logEnd());
    }
    program.restOfOutput().forEach(ledger::enter);
  }

  private void endPrograms() throws IOException, InterruptedException {
    for (JavaProcess program : programs) {
      program.endInput(Duration.ZERO);
    }
    for (int i = 0; i < programs.length; i++) {
      close(i);
    }
  }

  // ---- Disturbances ----

  private void disturb() throws IOException, InterruptedException {
    if (daemon.hasDied()) {
      problems.add("the daemon has ended by itself");
      return;
    }
    int index = random.nextInt(programs.length);
    switch (replacesOnly ? random.nextInt(16, 18) : random.nextInt(18)) {
      case 0 -> {
        if (isOver(lastRestart)) {
          kill(index);
        } else {
          killDaemon();
        }
      }
      case 1, 2, 3, 4 -> stopForAWhile(index);
      case 5, 6, 7 -> end(index);
      case 16 -> replaceDaemon();
      case 17 -> replaceDaemonAndKill();
      default -> kill(index);
    }
  }

  /** Kills and restarts the daemon. Programs must notice; new ones must find it in order. */
  private void killDaemon() throws IOException, InterruptedException {
    disturbances.merge("daemon killed", 1, Integer::sum);
    daemon.kill(problems);
    startAgain();
  }

  /** Starts the daemon when it has ended, and so have all programs. */
  private void startAgain() throws IOException, InterruptedException {
    for (int i = 0; i < programs.length; i++) {
      close(i);
    }
    startDaemon();
    startPrograms();
  }

  /** Lets another daemon go on with all programs, which must not notice. */
  private void replaceDaemon() throws IOException, InterruptedException {
    disturbances.merge("daemon replaced", 1, Integer::sum);
    long begun = System.nanoTime();
    SoakedDaemon next = daemon.startSuccessor(lives++);
    if (next.takesOver()) {
      replacementMillis = (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      daemon.leave(problems);
      daemon = next;
    } else {
      problems.add("the daemon was not replaced" + next.logEnd());
      next.close();
    }
  }

  /**
   * Kills one of two daemons while one replaces the other. One of them must go on with all
   * programs; or, if the killed one had them, these end.
   */
  private void replaceDaemonAndKill() throws IOException, InterruptedException {
    SoakedDaemon old = daemon;
    SoakedDaemon next = daemon.startSuccessor(lives++);
    // Most of the time only the new one works, so rather towards the end.
    double before = Math.pow(random.nextDouble(), 3);
    TimeUnit.MILLISECONDS.sleep((long) (replacementMillis * (1 - before)));
    boolean killsNext = random.nextBoolean();
    (killsNext ? next : old).kill(problems);
    SoakedDaemon other = killsNext ? old : next;
    boolean goesOn = killsNext ? old.goesOn() : next.takesOver();
    disturbances.merge(
        "%s daemon killed in a replacement, %s"
            .formatted(killsNext ? "new" : "old", goesOn ? "the other goes on" : "both ended"),
        1,
        Integer::sum);
    if (goesOn) {
      daemon = other;
    } else {
      other.close();
      startAgain();
    }
  }

  private void stopForAWhile(int index) throws IOException, InterruptedException {
    disturbances.merge("program stopped for a while", 1, Integer::sum);
    long pid = programs[index].handle().pid();
    ProcessSignals.stop(pid);
    TimeUnit.MILLISECONDS.sleep(random.nextInt(3000));
    ProcessSignals.resume(pid);
  }

  private void end(int index) throws IOException, InterruptedException {
    disturbances.merge("program ended", 1, Integer::sum);
    programs[index].endInput(Duration.ZERO);
    close(index);
    start(index);
    programs[index].awaitLine(SoakProgram.BEGUN, START);
  }

  private void kill(int index) throws IOException, InterruptedException {
    disturbances.merge("program killed", 1, Integer::sum);
    programs[index].kill();
    close(index);
    start(index);
    programs[index].awaitLine(SoakProgram.BEGUN, START);
  }

  // ---- Accounts ----

  private void audit() throws IOException, InterruptedException {
    if (daemon.hasDied()) {
      problems.add("the daemon has ended by itself");
      return;
    }
    long resident = daemon.audit(problems);
    memory.add(resident);
    progress.accept(
        "audit %d: %d transfers verified, %d MiB; daemon %d has %d MiB resident"
            .formatted(
                memory.size(),
                ledger.verifiedTransfers(),
                ledger.verifiedOctets() >> 20,
                lives,
                resident >> 10));
  }

  /** What has happened, as lines for people. */
  public List<String> summary() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "transfers        %d begun, %d verified (%d octets); %d octets given up because an end was"
                .formatted(
                    ledger.begunTransfers(),
                    ledger.verifiedTransfers(),
                    ledger.verifiedOctets(),
                    ledger.abandonedOctets())
            + " killed");
    lines.add("programs         " + started + " started");
    lines.add("disturbances     " + disturbances);
    lines.add("misbehaviour     " + ledger.misbehaviour());
    lines.add("failures told    " + ledger.failures());
    lines.add("daemons          " + lives + " started, " + memory.size() + " audits");
    return lines;
  }

  /** Ends all processes and removes all files. */
  @Override
  public void close() throws IOException {
    for (JavaProcess program : programs) {
      if (program != null) {
        program.kill();
        program.close();
      }
    }
    if (daemon != null) {
      daemon.close();
    }
    folder.close();
  }
}
