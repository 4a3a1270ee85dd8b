package org.rddp.bench.method;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures entrants beside each other: in every round each of them does the task once, while the
 * others are stopped. One that cannot run, or fails, stays in the tables with the reason.
 */
public final class Contest implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration ROUND = Duration.ofSeconds(90);

  private final Progress progress;
  private final Path folder;
  private final Map<String, RigProcess> running = new LinkedHashMap<>();
  private final Map<String, String> reasons = new LinkedHashMap<>();
  private final List<String> names;

  /**
   * Starts all of them, one after the other; none works then.
   *
   * @throws IOException when processes cannot be started at all
   */
  public Contest(List<Entrant> entrants, Progress progress)
      throws IOException, InterruptedException {
    this.progress = progress;
    this.folder = Files.createTempDirectory("rddp-bench");
    this.names = entrants.stream().map(Entrant::name).toList();
    try {
      for (Entrant entrant : entrants) {
        start(entrant);
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void start(Entrant entrant) throws IOException, InterruptedException {
    String name = entrant.name();
    progress.say("starting: " + name);
    RigProcess process = new RigProcess(entrant, log(name));
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
    progress.say("without " + name + ": " + reason);
    running.remove(name).close();
    if (Files.exists(log(name))) {
      List<String> said = Files.readAllLines(log(name));
      said.subList(Math.max(0, said.size() - 8), said.size())
          .forEach(line -> progress.say("  " + line));
    }
  }

  /**
   * Lets HotSpot see the work: each entrant does the task once, and what it found is thrown away.
   */
  public void warmUp(JsonObject task) throws IOException, InterruptedException {
    for (String name : List.copyOf(running.keySet())) {
      progress.say("warming up: " + name);
      round(name, task);
    }
  }

  /**
   * Measures.
   *
   * @param title what is measured, to be shown
   * @param rounds 1 or more
   * @return by the entrants' names, in the order in which they were given
   */
  public Outcomes run(String title, JsonObject task, int rounds)
      throws IOException, InterruptedException {
    return run(title, task, rounds, names);
  }

  /** Measures those of the entrants that are among some. */
  public Outcomes run(String title, JsonObject task, int rounds, List<String> some)
      throws IOException, InterruptedException {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    Map<String, String> cannot = new LinkedHashMap<>(reasons);
    List<String> measured = names.stream().filter(some::contains).toList();
    measured.forEach(name -> samples.put(name, new ArrayList<>()));
    Watch watch = Watch.start();
    for (int round = 0; round < rounds; round++) {
      progress.say(title + ", round " + (round + 1) + " of " + rounds);
      for (String name : measured) {
        if (!cannot.containsKey(name)) {
          Object found = round(name, task);
          if (found instanceof Sample sample) {
            samples.get(name).add(sample);
          } else {
            cannot.put(name, found.toString());
          }
        }
      }
    }
    Conditions conditions = watch.stop();
    progress.say(title + ": " + conditions);
    Map<String, Outcome> outcomes = new LinkedHashMap<>();
    samples.forEach((name, all) -> outcomes.put(name, new Outcome(all, cannot.get(name))));
    return new Outcomes(title, outcomes, conditions);
  }

  /** A round's sample, or the reason why there is none. */
  private Object round(String name, JsonObject task) throws IOException, InterruptedException {
    RigProcess process = running.get(name);
    try {
      process.resume();
      process.ask(task);
      JsonObject answer = process.answer(ROUND);
      if (answer.has(RigMain.FAILED)) {
        drop(name, reason(answer));
        return reasons.get(name);
      }
      process.pause();
      return answer.has(RigMain.CANNOT) ? reason(answer) : Sample.fromJson(answer);
    } catch (IOException e) {
      drop(name, "failed: " + e.getMessage());
      return reasons.get(name);
    }
  }

  /** Ends all of them. */
  @Override
  public void close() throws IOException {
    running.values().forEach(RigProcess::close);
    running.clear();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
