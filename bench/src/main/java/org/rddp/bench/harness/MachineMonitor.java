package org.rddp.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.rddp.rig.Affinity;
import org.rddp.rig.CoreToCore;

/** Measures the use of the CPUs, and by whom, during a measurement. */
public final class MachineMonitor {
  private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
  private static final Path STAT = Path.of("/proc/stat");
  private static final double TICKS_PER_SECOND = 100;

  /** Columns of /proc/stat: user, nice and system come first; guests' time is counted twice. */
  private static final int USED = 3;

  private static final int STEAL = 7;
  private static final int COUNTED = 8;

  /** The parent of the kernel's threads. */
  private static final long KTHREADD = 2;

  private final double coreToCore;
  private final long began;
  private final double pressed;
  private final long[] spent;
  private final double ours;

  private MachineMonitor() throws IOException, InterruptedException {
    coreToCore = coreToCore();
    began = System.nanoTime();
    pressed = pressedSeconds();
    spent = spentTicks();
    ours = ourSeconds();
  }

  private static double coreToCore() throws IOException, InterruptedException {
    int[] cpus = Affinity.allowed();
    return CoreToCore.medianNanos(cpus[0], cpus[cpus.length - 1]);
  }

  /** Measures the distance of the cores and starts monitoring. */
  public static MachineMonitor start() throws IOException, InterruptedException {
    return new MachineMonitor();
  }

  /**
   * The conditions since the start. The benchmark's processes must be alive, or have been waited
   * for.
   */
  public Conditions stop() throws IOException, InterruptedException {
    long[] now = spentTicks();
    double all = 0;
    double used = 0;
    for (int i = 0; i < COUNTED; i++) {
      all += now[i] - spent[i];
      used += i < USED ? now[i] - spent[i] : 0;
    }
    double stolen = now[STEAL] - spent[STEAL];
    double seconds = (System.nanoTime() - began) / 1e9;
    // Time in interrupts is not counted: most of it is our own, of links on this machine.
    double others = Math.max(0, used / TICKS_PER_SECOND - (ourSeconds() - ours));
    double capacity = Math.max(all / TICKS_PER_SECOND, 0.01);
    double pressure = (pressedSeconds() - pressed) / seconds;
    return new Conditions(
        coreToCore,
        coreToCore(),
        pressure,
        stolen / TICKS_PER_SECOND / capacity,
        others / capacity,
        Double.NaN,
        seconds,
        List.of());
  }

  private static double pressedSeconds() throws IOException {
    if (!Files.isReadable(PRESSURE)) {
      return Double.NaN;
    }
    return pressedSeconds(Files.readAllLines(PRESSURE));
  }

  /** The total of the line {@code some}. */
  static double pressedSeconds(List<String> lines) {
    for (String line : lines) {
      int total = line.indexOf("total=");
      if (line.startsWith("some") && total > 0) {
        return Long.parseLong(line.substring(total + "total=".length()).strip()) / 1e6;
      }
    }
    return Double.NaN;
  }

  private static long[] spentTicks() throws IOException {
    try (Stream<String> lines = Files.lines(STAT)) {
      return spentTicks(lines.findFirst().orElseThrow());
    }
  }

  /** The figures of the line {@code cpu}. */
  static long[] spentTicks(String line) {
    return Stream.of(line.split(" +", -1))
        .skip(1)
        .limit(COUNTED)
        .mapToLong(Long::parseLong)
        .toArray();
  }

  /**
   * CPU time of this process and its descendants, and of the kernel's threads, which serve our use
   * of the kernel's network.
   */
  private static double ourSeconds() {
    ProcessHandle us = ProcessHandle.current();
    double own =
        Stream.concat(Stream.of(us), us.descendants())
            .mapToDouble(each -> seconds(each.pid()))
            .sum();
    return own
        + ProcessHandle.of(KTHREADD).stream()
            .flatMap(ProcessHandle::children)
            .mapToDouble(each -> seconds(each.pid()))
            .sum();
  }

  private static double seconds(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return seconds(stat);
    } catch (IOException e) {
      // The process has ended.
      return 0;
    }
  }

  /**
   * User and system time of a process and of its ended children: fields 14 to 17 of its stat line.
   */
  static double seconds(String stat) {
    String[] figures = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = 0;
    for (int i = 11; i < 15; i++) {
      ticks += Long.parseLong(figures[i]);
    }
    return ticks / TICKS_PER_SECOND;
  }
}
