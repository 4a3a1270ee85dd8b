package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rddp.rig.TemporaryFolder;

/**
 * Measures contenders side by side: in every round each does the task once, while the others are
 * stopped (SIGSTOP). A contender that cannot run, or fails, stays in the results with the reason.
 */
public final class Comparison implements AutoCloseable {
  /** How contenders are warmed up, for reports. */
  public static final String WARM_UP_DESCRIPTION =
      "Each contender is warmed up until it is steady, as the top of docs/benchmarks.md describes; the"
          + " line under a table names those for which the time did not suffice.";

  private static final Duration START = Duration.ofMinutes(3);

  /** How much longer than asked a round may take. */
  private static final Duration GRACE = Duration.ofSeconds(45);

  /** The part of a budget that all first warm-ups may take, and the longest of one in ms. */
  private static final double WARM_UPS = 0.4;

  private static final long LONGEST_WARM_UP = 20_000;

  /** The part of a step that its warm-ups may take, and the longest of one in ms. */
  private static final double STEP_WARM_UP = 0.3;

  private static final long LONGEST_STEP_WARM_UP = 3_000;
  private static final long SHORTEST_WARM_UP = 50;

  /** The fewest rounds for a median. */
  private static final int FEWEST_ROUNDS = 3;

  private final Progress progress;
  private final TemporaryFolder folder;
  private final Map<String, RigProcess> running = new LinkedHashMap<>();
  private final Map<String, String> reasons = new LinkedHashMap<>();
  private final Set<String> unsteady = new HashSet<>();
  private final CoreThroughput throughput;
  private final List<String> names;

  /**
   * Starts all contenders, one after the other, and stops them.
   *
   * @throws IOException when processes cannot be started at all
   */
  public Comparison(List<Contender> contenders, Progress progress)
      throws IOException, InterruptedException {
    this.progress = progress;
    this.folder = new TemporaryFolder("rddp-bench");
    this.names = contenders.stream().map(Contender::name).toList();
    this.throughput = new CoreThroughput();
    try {
      for (Contender contender : contenders) {
        start(contender);
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void start(Contender contender) throws IOException, InterruptedException {
    String name = contender.name();
    progress.log("starting: " + name);
    RigProcess process = new RigProcess(contender, log(name));
    running.put(name, process);
    try {
      JsonObject answer = process.answer(START);
      if (answer.has(RigMain.READY)) {
        process.pause();
        return;
      }
      drop(name, reason(answer));
    } catch (IOException e) {
      drop(name, e.getMessage());
    }
  }

  private Path log(String name) {
    return folder.resolve(name.replaceAll("[^A-Za-z0-9]+", "-") + ".log");
  }

  private static String reason(JsonObject answer) {
    return answer.has(RigMain.CANNOT)
        ? answer.get(RigMain.CANNOT).getAsString()
        : "failed: " + answer.get(RigMain.FAILED).getAsString();
  }

  private void drop(String name, String reason) throws IOException {
    reasons.put(name, reason);
    progress.log("without " + name + ": " + reason);
    running.remove(name).close();
    if (Files.exists(log(name))) {
      List<String> said = Files.readAllLines(log(name));
      said.subList(Math.max(0, said.size() - 8), said.size())
          .forEach(line -> progress.log("  " + line));
    }
  }

  /** Warms each contender up for a task ({@link WarmUp}), within its part of the budget. */
  public void warmUp(JsonObject task) throws IOException, InterruptedException {
    warmUp(task, List.copyOf(running.keySet()));
  }

  /** Warms up those of these contenders that run. */
  public void warmUp(JsonObject task, List<String> names) throws IOException, InterruptedException {
    List<String> some = names.stream().filter(running::containsKey).toList();
    Budget all = progress.budget().part(WARM_UPS);
    for (int i = 0; i < some.size(); i++) {
      String name = some.get(i);
      // Twice an even share: contenders with more to compile come first in the lists.
      Duration each = share(2 * all.leftNanos(), some.size() - i + 1, LONGEST_WARM_UP);
      progress.log("warming up: " + name);
      if (ask(name, RigMain.warmUp(task, each), each) instanceof JsonObject answer) {
        WarmUp.Result found = warmedUp(name, answer);
        if (!found.steady()) {
          progress.log(
              "  not steady after " + found.rounds() + " rounds in " + found.seconds() + " s");
        }
      }
    }
  }

  private WarmUp.Result warmedUp(String name, JsonObject answer) {
    WarmUp.Result found = Json.to(answer, WarmUp.Result.class);
    if (found.steady()) {
      unsteady.remove(name);
    } else {
      unsteady.add(name);
    }
    return found;
  }

  private static Duration share(long nanos, int of, long mostMillis) {
    long millis = nanos / 1_000_000 / Math.max(1, of);
    return Duration.ofMillis(Math.clamp(millis, SHORTEST_WARM_UP, mostMillis));
  }

  /**
   * Measures all contenders.
   *
   * @param title of the measurement, for reports
   * @param rounds 1 or more; fewer are done where the step's part of the budget is used up
   * @return results in the order of the contenders
   */
  public ComparisonResult run(String title, JsonObject task, int rounds)
      throws IOException, InterruptedException {
    return run(title, task, rounds, names);
  }

  /** Measures the contenders with these names. */
  public ComparisonResult run(String title, JsonObject task, int rounds, List<String> some)
      throws IOException, InterruptedException {
    return run(title, task, rounds, some, 1);
  }

  /** Measures the contenders with these names, in a step of some weight. */
  public ComparisonResult run(
      String title, JsonObject task, int rounds, List<String> some, double weight)
      throws IOException, InterruptedException {
    return run(title, task, rounds, some, weight, true);
  }

  /** Measures all contenders without warming them up for this task. */
  public ComparisonResult runCold(String title, JsonObject task, int rounds)
      throws IOException, InterruptedException {
    return run(title, task, rounds, names, 1, false);
  }

  private ComparisonResult run(
      String title, JsonObject task, int rounds, List<String> some, double weight, boolean warmsUp)
      throws IOException, InterruptedException {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    Map<String, String> cannot = new LinkedHashMap<>(reasons);
    List<String> measured = names.stream().filter(some::contains).toList();
    measured.forEach(name -> samples.put(name, new ArrayList<>()));
    long most = progress.budget().take(weight);
    long began = System.nanoTime();
    progress.log(title);
    Duration warmUp = share((long) (most * STEP_WARM_UP), measured.size(), LONGEST_STEP_WARM_UP);
    for (String name : measured) {
      if (warmsUp && !cannot.containsKey(name)) {
        Object answer = ask(name, RigMain.warmUp(task, warmUp), warmUp);
        if (answer instanceof JsonObject found) {
          warmedUp(name, found);
        } else {
          cannot.put(name, answer.toString());
        }
      }
    }
    MachineMonitor watch = MachineMonitor.start();
    int fewest = most == 0 ? 1 : FEWEST_ROUNDS;
    for (int round = 0; round < rounds; round++) {
      if (round >= fewest && System.nanoTime() - began > most) {
        break;
      }
      throughput.measure();
      // A hypervisor that stops a busy machine now and then would always stop the same contender.
      for (String name : round % 2 == 0 ? measured : measured.reversed()) {
        if (!cannot.containsKey(name)) {
          Object found = ask(name, task, Duration.ZERO);
          if (found instanceof JsonObject answer) {
            samples.get(name).add(Sample.fromJson(answer));
          } else {
            cannot.put(name, found.toString());
          }
        }
      }
    }
    Conditions conditions =
        watch
            .stop()
            .withUnsteady(measured.stream().filter(unsteady::contains).toList())
            .withThroughput(throughput.shares());
    progress.log("  " + conditions);
    Map<String, ContenderResult> outcomes = new LinkedHashMap<>();
    samples.forEach((name, all) -> outcomes.put(name, new ContenderResult(all, cannot.get(name))));
    return new ComparisonResult(title, outcomes, conditions);
  }

  /**
   * A contender's answer, or the reason, as text, why there is none.
   *
   * @param takes time allowed beside the task's own
   */
  private Object ask(String name, JsonObject task, Duration takes)
      throws IOException, InterruptedException {
    RigProcess process = running.get(name);
    if (process == null) {
      return reasons.get(name);
    }
    long millis = task.has("millis") ? task.get("millis").getAsLong() : 0;
    try {
      process.resume();
      process.ask(task);
      JsonObject answer = process.answer(GRACE.plus(takes).plusMillis(millis));
      if (answer.has(RigMain.FAILED)) {
        drop(name, reason(answer));
        return reasons.get(name);
      }
      process.pause();
      return answer.has(RigMain.CANNOT) ? reason(answer) : answer;
    } catch (IOException e) {
      drop(name, "failed: " + e.getMessage());
      return reasons.get(name);
    }
  }

  @Override
  public void close() throws IOException {
    running.values().forEach(RigProcess::close);
    running.clear();
    folder.close();
  }
}
