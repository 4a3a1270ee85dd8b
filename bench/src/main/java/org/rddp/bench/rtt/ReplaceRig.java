package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.bench.link.ReceivedFrames;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.WaitStrategy;

/**
 * Round trips of 64 octets, one each ms, between programs of two daemons on {@code linux:} devices,
 * while the near daemon is replaced, again and again.
 *
 * <p>A task has {@code replacements}. A sample has {@code silence_p50} and {@code silence_p99}, the
 * longest time in ns without a frame from the near daemon, by its peer; {@code longest}, the
 * longest round trip in ns, of the median replacement; {@code before} and {@code after}, p99 in ns
 * of the second before the new process was started, and of the second after the longest round trip.
 */
public final class ReplaceRig implements Rig {
  private static final int MTU = 1500;
  private static final int PORT = 7473;
  private static final int OCTETS = 64;
  private static final long GAP = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final int WARM_UP = 3;

  /** A round trip, by when it began and how long it took, in ns. */
  private record Trip(long start, long nanos) {}

  private final List<Trip> trips = new ArrayList<>();
  private TwoDaemons daemons;
  private ProgramPair pair;
  private long number;

  @Override
  public void open(JsonObject arguments) throws Exception {
    daemons = new TwoDaemons(TwoDaemons.Link.VETH, MTU);
    pair =
        ProgramPair.connect(
            daemons.near(),
            daemons.far(),
            JoinedInterfaces.farAddress(PORT),
            OCTETS,
            new WaitStrategy(true));
    pair.prepare(ProgramPair.Verb.WRITE, OCTETS);
    tripsUntil(System.nanoTime() + WARM_UP * SECOND);
  }

  private void trip() throws IOException {
    long start = System.nanoTime();
    pair.run(++number);
    long end = System.nanoTime();
    trips.add(new Trip(start, end - start));
    LockSupport.parkNanos(Math.max(0, start + GAP - end));
  }

  private void tripsUntil(long end) throws IOException {
    while (System.nanoTime() < end) {
      trip();
    }
  }

  @Override
  public Sample round(JsonObject task) throws Exception {
    Histogram silences = new Histogram(3);
    Histogram longest = new Histogram(3);
    Histogram before = new Histogram(3);
    Histogram after = new Histogram(3);
    for (int i = task.get("replacements").getAsInt(); i > 0; i--) {
      trips.clear();
      tripsUntil(System.nanoTime() + SECOND);
      long began = System.nanoTime();
      try (ReceivedFrames frames = daemons.beforeFar(ReceivedFrames::new)) {
        FutureTask<Void> replacement =
            new FutureTask<>(() -> {
              daemons.replaceNear();
              return null;
            });
        Thread.ofPlatform().daemon().start(replacement);
        while (!replacement.isDone()) {
          trip();
        }
        replacement.get();
        silences.recordValue(frames.longestSilence());
      }
      tripsUntil(System.nanoTime() + SECOND);
      Trip across =
          trips.stream()
              .filter(each -> each.start >= began)
              .max((a, b) -> Long.compare(a.nanos, b.nanos))
              .orElseThrow();
      longest.recordValue(across.nanos);
      before.recordValue(p99(0, began));
      after.recordValue(p99(across.start + across.nanos, across.start + across.nanos + SECOND));
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("silence_p50", (double) silences.getValueAtPercentile(50));
    figures.put("silence_p99", (double) silences.getValueAtPercentile(99));
    figures.put("longest", (double) longest.getValueAtPercentile(50));
    figures.put("before", (double) before.getValueAtPercentile(50));
    figures.put("after", (double) after.getValueAtPercentile(50));
    return Sample.of(figures);
  }

  /** p99 of the round trips that began in a time. */
  private long p99(long from, long to) {
    Histogram times = new Histogram(3);
    for (Trip each : trips) {
      if (each.start >= from && each.start < to) {
        times.recordValue(each.nanos);
      }
    }
    return times.getValueAtPercentile(99);
  }

  @Override
  public void close() throws IOException {
    if (pair != null) {
      pair.close();
    }
    if (daemons != null) {
      daemons.close();
    }
  }
}
