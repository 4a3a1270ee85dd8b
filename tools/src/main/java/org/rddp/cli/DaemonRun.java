package org.rddp.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.rddp.daemon.ArrivingDaemon;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.PortWords;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.MachineException;
import org.rddp.daemon.configuration.MachineProblem;
import org.rddp.daemon.configuration.ReplacementRules;
import org.rddp.daemon.replacement.Successor;
import org.rddp.dpdk.PortInfo;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.ipc.control.ControlListener;
import org.rddp.rig.Rehearsal;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs a daemon from its start to the end of its process. A signal during the start releases
 * everything that the start has taken.
 */
final class DaemonRun {
  /** The first word of the line printed when programs can connect. */
  private static final String READY = "ready:";

  /** Exit code of a check that SIGTERM ends, as shells report it. */
  private static final int TERMINATED = 128 + 15;

  /** Opens something, which may fail because of the machine. */
  private interface Opening {
    void run() throws IOException;
  }

  /** A signal ends the daemon while it starts. */
  private static final class StopRequestedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StopRequestedException() {
      super("a signal ends it");
    }
  }

  private final Path path;
  private final ConfigurationFile file;
  private final Configuration configuration;
  private final CommandSpec spec;
  private final CountDownLatch started = new CountDownLatch(1);
  private volatile boolean stopRequested;

  /** Null unless this daemon takes the place of another. */
  private volatile Successor successor;

  private volatile Daemon daemon;

  DaemonRun(Path path, ConfigurationFile file, CommandSpec spec) {
    this.path = path;
    this.file = file;
    this.configuration = file.configuration();
    this.spec = spec;
  }

  /**
   * Runs the daemon until a signal ends it, or another daemon has its place.
   *
   * @param replaces whether it takes the place of the daemon that runs
   * @param rehearses whether it rehearses before it is ready although it replaces none
   * @param untilEof whether the end of standard input ends it, too
   * @throws CommandFailedException if it cannot start, or if its engine is lost
   */
  void run(boolean replaces, boolean rehearses, boolean untilEof) {
    Signals.onHangup(this::reload);
    stoppable(0, replaces ? this::replace : () -> start(rehearses));
    // Not ProcessHandle's start: it can be wrong by a second, since the kernel tells the time of
    // boot in seconds.
    long millis = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    Output.println(
        spec, READY + " in %d.%03d s, %s".formatted(millis / 1000, millis % 1000, describe()));
    if (untilEof) {
      Thread.ofPlatform().daemon().name("rddp-input").start(DaemonRun::exitAtEof);
    }
    Throwable lost = awaitEnd(daemon);
    if (lost != null) {
      throw new CommandFailedException(
          "the daemon has ended because of an internal error: " + lost, lost);
    }
  }

  /**
   * Opens what the configuration names, and closes it again.
   *
   * @return a line about each interface
   * @throws CommandFailedException if something cannot be opened
   */
  List<String> check() {
    List<String> found = new ArrayList<>();
    Thread hook = stoppable(TERMINATED, () -> open(found));
    remove(hook);
    return found;
  }

  // ---- The start ----

  /**
   * Runs an action that a signal ends at its next {@link #checkpoint}.
   *
   * @param code exit code of the process if a signal ends it
   * @return the hook that releases everything at the end of the process
   */
  private Thread stoppable(int code, Opening action) {
    Thread hook = new Thread(() -> end(code), "rddp-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      action.run();
    } catch (StopRequestedException e) {
      started.countDown();
      awaitHalt();
    } catch (MachineException e) {
      remove(hook);
      throw failure(e.problems(), e);
    } catch (IOException e) {
      remove(hook);
      String what = successor == null ? "the daemon cannot start: " : "nothing is replaced: ";
      throw new CommandFailedException(what + describe(e), e);
    } catch (RuntimeException | Error e) {
      remove(hook);
      throw e;
    } finally {
      started.countDown();
    }
    return hook;
  }

  /** Takes the control socket first: if another daemon has it, no device may be touched. */
  private void start(boolean rehearses) throws IOException {
    ControlListener listener = bind();
    DpdkPorts ports;
    try {
      ports = rehearses ? openAndRehearse(false) : open(false);
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
    daemon = Daemon.start(configuration, listener, ports, System.err);
    if (!rehearses) {
      daemon.rehearseBy(() -> rehearse(Rehearsal::ofEnd));
    }
  }

  private void replace() throws IOException {
    ArrivingDaemon arriving = arriving(() -> openAndRehearse(true));
    successor(arriving).takeOver();
    daemon = arriving.daemon();
  }

  private Successor successor(ArrivingDaemon arriving) {
    successor = new Successor(configuration.controlSocket(), arriving);
    return successor;
  }

  /**
   * Makes the daemon that takes another one's place.
   *
   * @throws MachineException if a device cannot go over to another process
   */
  private ArrivingDaemon arriving(ArrivingDaemon.Opening opening) {
    List<MachineProblem> problems = new ArrayList<>();
    List<InterfaceConfiguration> interfaces = configuration.interfaces();
    for (int i = 0; i < interfaces.size(); i++) {
      String problem = ReplacementRules.problem(interfaces.get(i).device());
      if (problem != null) {
        problems.add(MachineProblem.ofInterface(i + 1, "device", problem));
      }
    }
    if (!problems.isEmpty()) {
      throw new MachineException(problems);
    }
    return new ArrivingDaemon(configuration, opening, System.err);
  }

  private DpdkPorts open(boolean replaces) throws IOException {
    return DpdkPorts.openQuietly(configuration, each -> checkpoint(), replaces);
  }

  private DpdkPorts openAndRehearse(boolean replaces) throws IOException {
    DpdkPorts ports = open(replaces);
    try {
      rehearse(Rehearsal::ofStart);
      checkpoint();
      return ports;
    } catch (RuntimeException | Error e) {
      ports.close();
      throw e;
    }
  }

  /** A part of a rehearsal. */
  private interface Rehearsing {
    int rehearse(Configuration own, BooleanSupplier stops) throws IOException, InterruptedException;
  }

  /** Runs the daemon's code before programs wait for it. */
  private void rehearse(Rehearsing part) {
    System.err.println(
        "rddp: rehearses for some seconds: first messages, and the pause of a replacement, then"
            + " take less time");
    try {
      int ignored = part.rehearse(configuration, () -> stopRequested);
    } catch (IOException e) {
      System.err.println(
          "rddp: first messages, and the pause of a replacement, will take longer: "
              + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Tries to take the place of the daemon that runs, which goes on.
   *
   * @throws CommandFailedException if that would fail
   */
  void checkReplacement() {
    remove(stoppable(TERMINATED, () -> successor(arriving(() -> open(true))).check()));
  }

  private ControlListener bind() {
    try {
      return Daemon.bind(configuration);
    } catch (IOException e) {
      throw new MachineException(MachineProblem.of("control", "socket", describe(e)), e);
    }
  }

  /** Handles SIGHUP, which may come before the daemon is ready. */
  private void reload() {
    try {
      started.await();
      if (daemon == null) {
        return;
      }
      daemon.reconfigure(ConfigurationFile.read(path));
    } catch (ConfigurationException e) {
      daemon.refuse(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void open(List<String> found) throws IOException {
    try (ControlListener _ = bind();
        DpdkPorts ports = open(false)) {
      int device = 0;
      for (InterfaceConfiguration each : configuration.interfaces()) {
        found.add(describe(each, ports.devices().get(device)));
        device += each.engines();
      }
    }
  }

  private void checkpoint() {
    if (stopRequested) {
      throw new StopRequestedException();
    }
  }

  private CommandFailedException failure(List<MachineProblem> problems, Exception cause) {
    String text =
        problems.stream()
            .map(problem -> file.place(problem).toString())
            .collect(Collectors.joining("\n"));
    return new CommandFailedException(text, cause);
  }

  private static String describe(IOException e) {
    if (e instanceof AccessDeniedException denied && denied.getReason() == null) {
      return "this user may not write "
          + denied.getFile()
          + "; allowed: another path, or write permission for this one";
    }
    return e instanceof FileSystemException failure && failure.getReason() != null
        ? failure.getFile() + ": " + failure.getReason()
        : e.getMessage();
  }

  // ---- The end ----

  /** Halts with a given exit code: otherwise a signal would make it 128 or more. */
  private void end(int code) {
    stopRequested = true;
    if (successor != null) {
      successor.stop();
    }
    try {
      started.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (daemon == null) {
      if (successor != null) {
        System.err.println(
            "rddp: ended by a signal: nothing is replaced, the other daemon goes on");
      }
      Runtime.getRuntime().halt(successor == null ? code : TERMINATED);
    }
    daemon.close();
    Runtime.getRuntime().halt(awaitEnd(daemon) == null ? code : 1);
  }

  private void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      started.countDown();
      awaitHalt();
    }
  }

  /** The hook ends the process. */
  private static void awaitHalt() {
    while (true) {
      LockSupport.park();
    }
  }

  private static Throwable awaitEnd(Daemon daemon) {
    try {
      return daemon.awaitEnd();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private static void exitAtEof() {
    try {
      while (System.in.read() >= 0) {
        // Only the end of the input matters.
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.exit(0);
  }

  // ---- Messages ----

  private String describe() {
    StringBuilder text = new StringBuilder("programs connect at " + configuration.controlSocket());
    for (InterfaceConfiguration each : configuration.interfaces()) {
      text.append(", interface ")
          .append(each.name())
          .append(" is ")
          .append(each.addressText())
          .append(" on ")
          .append(each.device());
    }
    return text.toString();
  }

  private static String describe(InterfaceConfiguration configured, DpdkDevice device) {
    PortInfo port = device.port().info();
    return "interface %s: %s, MTU %d, MAC address %s, memory of %s"
        .formatted(
            configured.name(),
            PortWords.of(device, configured.engines()),
            configured.mtu(),
            InterfaceObject.mac(device.macAddress()),
            port.socket() < 0 ? "any NUMA node" : "NUMA node " + port.socket());
  }
}
