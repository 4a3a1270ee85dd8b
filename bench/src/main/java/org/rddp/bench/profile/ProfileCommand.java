package org.rddp.bench.profile;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.rates.RddpStreamRig;
import org.rddp.bench.rtt.RddpRig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/rddp bench profile}: flame graphs of the engine's thread and the programs'. */
@Command(
    name = "profile",
    description = {
      "Flame graphs, by CPU time, of the layout of two cores: round trips and writes of 64 octets, and"
          + " bulk with MTU 1500 and 9000. Needs Java 25."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ProfileCommand implements Callable<Integer> {
  private static final int MEBIBYTE = 1 << 20;

  /** Narrower frames, in percent, are left out to keep the pages small. */
  private static final String NARROWEST = "0.2";

  @Option(
      names = "--write",
      paramLabel = "DIRECTORY",
      description = "Where the pages go, one for each. Default: docs/profiles.")
  private Path directory = Path.of(System.getProperty("rddp.home", "."), "docs", "profiles");

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "20",
      description = "How long each is recorded. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(names = "--keep", description = "Keep the recordings beside the pages.")
  private boolean keep;

  /** A page: the rig and the task that it profiles. */
  private record Workload(
      String name, String title, Class<? extends Rig> rig, JsonObject arguments, JsonObject task) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Progress progress = new Progress(System.err);
    if (!ProfiledRig.available()) {
      progress.log("this JVM cannot sample by CPU time: use Java 25 on Linux");
      return 1;
    }
    Files.createDirectories(directory);
    int failed = 0;
    for (Workload workload : workloads()) {
      failed += draw(workload, progress) ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
  }

  private List<Workload> workloads() {
    JsonObject packing = Json.of("packing", true);
    JsonObject jumbo = Json.of("packing", true, "mtu", 9000);
    return List.of(
        new Workload(
            "round-trips",
            "Round trips of writes of 64 octets",
            RddpRig.class,
            new JsonObject(),
            roundTrips()),
        new Workload(
            "writes",
            "Writes of 64 octets, 64 outstanding",
            RddpStreamRig.class,
            packing,
            stream(64, 64)),
        new Workload(
            "bulk-1500",
            "Writes of 1 MiB, MTU 1500",
            RddpStreamRig.class,
            packing,
            stream(MEBIBYTE, 2)),
        new Workload(
            "bulk-9000",
            "Writes of 1 MiB, MTU 9000",
            RddpStreamRig.class,
            jumbo,
            stream(MEBIBYTE, 2)));
  }

  private JsonObject roundTrips() {
    return Json.of(
        "verb", "WRITE", "octets", 64, "count", Integer.MAX_VALUE, "millis", seconds * 1000);
  }

  private JsonObject stream(int octets, int outstanding) {
    return Json.of("octets", octets, "outstanding", outstanding, "millis", seconds * 1000);
  }

  /** Draws a page. Returns whether it could. */
  private boolean draw(Workload workload, Progress progress)
      throws IOException, InterruptedException {
    JsonObject arguments = workload.arguments();
    arguments.addProperty(ProfiledRig.RIG, workload.rig().getName());
    Contender entrant = new Contender("rddp", ProfiledRig.class, arguments, List.of());
    Path recording = directory.resolve(workload.name() + ".jfr").toAbsolutePath();
    try (Comparison contest = new Comparison(List.of(entrant), progress)) {
      JsonObject task = workload.task();
      task.addProperty(ProfiledRig.PROFILE, recording.toString());
      ContenderResult outcome = contest.run(workload.title(), task, 1).of("rddp");
      if (outcome.samples().isEmpty()) {
        progress.log(outcome.reason());
        return false;
      }
      Path page = directory.resolve(workload.name() + ".html");
      render(recording, page, workload.title());
      progress.log("written to " + page);
      return true;
    } finally {
      if (!keep) {
        Files.deleteIfExists(recording);
      }
    }
  }

  private static void render(Path recording, Path page, String title) throws IOException {
    Arguments arguments =
        new Arguments(
            "--cpu-time",
            "--threads",
            "--simple",
            "--minwidth",
            NARROWEST,
            "--title",
            title,
            recording.toString(),
            page.toString());
    JfrToFlame.convert(recording.toString(), page.toString(), arguments);
  }
}
