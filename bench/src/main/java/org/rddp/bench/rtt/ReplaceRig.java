package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.bench.link.ReceivedFrames;

/**
 * Round trips of 64 octets, one each ms, between programs of two daemons on {@code linux:} devices,
 * which wait in blocking calls, while the near daemon is replaced, again and again.
 *
 * <p>A task has {@code replacements}. A sample has {@code silence_p50} and {@code silence_p99}, the
 * longest time in ns without a frame from the near daemon, by its peer, from the start of the new
 * process until that is ready. Of the median replacement it has {@code longest}, the longest round
 * trip in ns in the last half second of that time, and p99 of round trips in ns: {@code before}, in
 * the second before the start, {@code preparing}, until that longest one, and {@code after}, in the
 * second after it.
 */
public final class ReplaceRig implements Rig {
  private static final int MTU = 1500;
  private static final int OCTETS = 64;
  private static final long GAP = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final int WARM_UP = 3;

  /** A round trip, by when it began and how long it took, in ns. */
  private record Trip(long start, long nanos) {
    long end() {
      return start + nanos;
    }
  }

  private final List<Trip> trips = new ArrayList<>();
  private TwoDaemons daemons;
  private BlockingPair pair;
  private long number;

  @Override
  public void open(JsonObject arguments) throws Exception {
    daemons = new TwoDaemons(TwoDaemons.Link.VETH, MTU);
    pair = new BlockingPair(daemons);
    Thread.ofPlatform().daemon().name("far program").start(pair::answer);
    pair.connect();
    tripsUntil(System.nanoTime() + WARM_UP * SECOND);
  }

  private void trip() throws IOException {
    long start = System.nanoTime();
    pair.send(++number, OCTETS);
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
    Histogram preparing = new Histogram(3);
    Histogram after = new Histogram(3);
    for (int i = task.get("replacements").getAsInt(); i > 0; i--) {
      trips.clear();
      tripsUntil(System.nanoTime() + SECOND);
      long began = System.nanoTime();
      long ready;
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
        ready = System.nanoTime();
        silences.recordValue(frames.longestSilence());
      }
      tripsUntil(System.nanoTime() + SECOND);
      Trip across =
          trips.stream()
              .filter(each -> each.end() > ready - SECOND / 2 && each.start < ready)
              .max(Comparator.comparingLong(Trip::nanos))
              .orElseThrow();
      longest.recordValue(across.nanos);
      before.recordValue(p99(0, began));
      preparing.recordValue(p99(began, across.start));
      after.recordValue(p99(across.end(), across.end() + SECOND));
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("silence_p50", (double) silences.getValueAtPercentile(50));
    figures.put("silence_p99", (double) silences.getValueAtPercentile(99));
    figures.put("longest", (double) longest.getValueAtPercentile(50));
    figures.put("before", (double) before.getValueAtPercentile(50));
    figures.put("preparing", (double) preparing.getValueAtPercentile(50));
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
      pair.end();
    }
    if (daemons != null) {
      daemons.close();
    }
  }
}
