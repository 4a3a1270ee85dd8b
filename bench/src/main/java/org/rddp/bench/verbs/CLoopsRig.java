package org.rddp.bench.verbs;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.rig.RoundTrips;

/**
 * The loops of verbs/bench in a process of their own, on one thread that is pinned as the programs
 * of {@link OneDaemon} are. Arguments: {@code idle} of the daemon; {@code verbs} for libibverbs by
 * librddp-verbs, without it librddp. Each sample has {@code cpu_ns} of the program: of a round
 * trip, of a batch, or of a message.
 */
public final class CLoopsRig implements Rig {
  private static final long TERMINATION_SECONDS = 5;

  private OneDaemon daemon;
  private Process program;
  private BufferedReader output;
  private Writer input;

  @Override
  public void open(JsonObject arguments) throws Exception {
    boolean verbs = arguments.has("verbs");
    Path loops = VerbsLibrary.built(verbs ? "loops-verbs" : "loops-librddp");
    daemon = OneDaemon.forRoundTrips(1500, arguments.get("idle").getAsString());
    ProcessBuilder builder =
        new ProcessBuilder(
            loops.toString(),
            JoinedInterfaces.NEAR,
            JoinedInterfaces.nearAddress(),
            JoinedInterfaces.FAR,
            JoinedInterfaces.farAddress());
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("RDDP_SOCKET", daemon.socket().toString());
    if (verbs) {
      builder.environment().put("LD_PRELOAD", VerbsLibrary.built(VerbsLibrary.NAME).toString());
    }
    program = builder.start();
    output =
        new BufferedReader(
            new InputStreamReader(program.getInputStream(), StandardCharsets.US_ASCII));
    input = new OutputStreamWriter(program.getOutputStream(), StandardCharsets.US_ASCII);
    if (!"ready".equals(output.readLine())) {
      throw new IOException("the program has not connected");
    }
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    LoopTask task = Json.to(json, LoopTask.class);
    return switch (task.kind()) {
      case TRIPS -> trips(task);
      case COST -> cost(ask("cost " + task.window() + " " + task.count()), task);
      case STREAM -> stream(task);
    };
  }

  private Sample trips(LoopTask task) throws IOException {
    double[] answer =
        ask(
            "trips %s %d %d %d"
                .formatted(
                    task.verb().name().toLowerCase(Locale.ROOT),
                    task.octets(),
                    task.count(),
                    task.nanos()));
    Histogram nanoseconds = RoundTrips.histogram();
    int count = answer.length - 1;
    for (int i = 0; i < count; i++) {
      nanoseconds.recordValue(Math.min((long) answer[i], nanoseconds.getHighestTrackableValue()));
    }
    return Sample.of(nanoseconds).with("cpu_ns", answer[count] / count);
  }

  private static Sample cost(double[] answer, LoopTask task) {
    return LoopSamples.cost(answer[0], answer[1], answer[2] / task.count());
  }

  private Sample stream(LoopTask task) throws IOException {
    double[] answer = ask("stream %d %d %d".formatted(task.octets(), task.window(), task.nanos()));
    return LoopSamples.stream(answer[0], task.octets(), answer[1], answer[2]);
  }

  private double[] ask(String command) throws IOException {
    input.write(command + "\n");
    input.flush();
    String line = output.readLine();
    if (line == null) {
      throw new IOException("the program has ended during: " + command);
    }
    String[] words = line.trim().split(" ", -1);
    double[] numbers = new double[words.length];
    for (int i = 0; i < words.length; i++) {
      numbers[i] = Double.parseDouble(words[i]);
    }
    return numbers;
  }

  @Override
  public void close() throws IOException {
    if (program != null) {
      program.destroy();
      try {
        if (!program.waitFor(TERMINATION_SECONDS, TimeUnit.SECONDS)) {
          program.destroyForcibly();
        }
      } catch (InterruptedException e) {
        program.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
    if (daemon != null) {
      daemon.close();
    }
  }
}
