package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.FreshDaemon;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTripTimer;
import org.rddp.rig.WaitStrategy;

/**
 * Traffic of programs that are warm over daemons that have just started. Each round starts a daemon
 * and, as soon as it is ready and the programs are connected, measures slices of {@link #SLICE} ms
 * one after the other; then it measures one second over a daemon that has had traffic since the rig
 * was opened.
 *
 * <p>Arguments: {@code copy}, the folder of an installed copy whose daemon it is, or none for that
 * of these classes; {@link #OPTION}, an option of the daemons' command, or none; {@code mtu}
 * (1500); {@link #WARM_UP} (5). A task has {@code millis} and {@code trips}: whether it is 64-octet
 * round trips, or else Writes of 64 KiB. A sample has {@code ready_ms}, the time from the start of
 * the process until it was ready; for each slice {@code gbps_N}, or {@code p50_N} and {@code p99_N}
 * in ns; and {@code first} and {@code warm}, Gb/s or p99 of the first and of a warm second. With
 * Writes it also has {@code warm_after_ms}, when three slices in a row begin that have 0.8 of the
 * warm goodput.
 */
public final class StartRig implements Rig {
  /** Length of a slice in ms. */
  static final int SLICE = 100;

  /** Slices of a second. */
  static final int SECOND = 1000 / SLICE;

  private static final int PORT = 7;
  private static final int OCTETS = 64 << 10;
  private static final int OUTSTANDING = 16;
  private static final long MEMORY = (long) OCTETS * OUTSTANDING;
  private static final int SHORT = 64;
  private static final long NANOS = 1_000_000L * SLICE;
  private static final double GIGABITS = 8.0 * OCTETS / NANOS;

  /** The share of the warm goodput, and the slices in a row with it, from which on it is warm. */
  private static final double STEADY = 0.8;

  private static final int ROW = 3;

  /** Argument {@link #WARM_UP} unless it is given. */
  private static final int LONG_WARM_UP = 5;

  /** Key of an argument: seconds of traffic of each kind over the daemon that stays. */
  static final String WARM_UP = "warm_up";

  /** Key of an argument: an option of the daemons' command. */
  static final String OPTION = "option";

  private Path copy;
  private int mtu;
  private String[] options;
  private Traffic warm;

  /** A daemon, and what goes over it. */
  private static final class Traffic implements AutoCloseable {
    private final RoundTripTimer timer = new RoundTripTimer();
    private final FreshDaemon daemon;
    private final ConnectionOpener connections;
    private final WriteStream stream;
    private final ProgramPair pair;

    Traffic(Path copy, int mtu, String... options) throws Exception {
      daemon = new FreshDaemon(copy, mtu, options);
      connections =
          new ConnectionOpener(daemon.near(), daemon.far(), JoinedInterfaces.farAddress(PORT));
      ConnectionOpener.Ends ends = connections.connect();
      stream = new WriteStream(daemon.near(), daemon.far(), ends.near(), MEMORY).yielding();
      WaitStrategy waiting =
          WaitStrategy.FEW_CORES ? WaitStrategy.yielding(daemon.near()) : WaitStrategy.spinning();
      pair = new ProgramPair(daemon.near(), daemon.far(), SHORT, waiting);
      pair.use(ends.near(), ends.far());
      pair.prepare(ProgramPair.Verb.WRITE, SHORT);
    }

    /** Writes that have arrived in each slice. */
    long[] writes(int slices) {
      long[] arrived = new long[slices];
      stream.configure(OCTETS, OUTSTANDING);
      long before = 0;
      long end = System.nanoTime();
      for (int i = 0; i < slices; i++) {
        end += NANOS;
        stream.workUntil(end);
        arrived[i] = stream.arrived() - before;
        before = stream.arrived();
      }
      stream.end();
      stream.run(0);
      return arrived;
    }

    /** Times of the round trips in each slice, at least one. */
    Histogram[] trips(int slices) throws IOException {
      Histogram[] times = new Histogram[slices];
      long end = System.nanoTime();
      for (int i = 0; i < slices; i++) {
        end += NANOS;
        long left = Math.max(1, end - System.nanoTime());
        times[i] = timer.closedLoop(pair, Integer.MAX_VALUE, left);
      }
      return times;
    }

    @Override
    public void close() throws IOException {
      connections.close();
      daemon.close();
    }
  }

  /** For the process of the rig. */
  public StartRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    copy = arguments.has("copy") ? Path.of(arguments.get("copy").getAsString()) : null;
    mtu = Json.integer(arguments, "mtu", 1500);
    options =
        arguments.has(OPTION) ? new String[] {arguments.get(OPTION).getAsString()} : new String[0];
    warm = new Traffic(copy, mtu, options);
    int slices = SECOND * Json.integer(arguments, WARM_UP, LONG_WARM_UP);
    warm.writes(slices);
    warm.trips(slices);
  }

  @Override
  public Sample round(JsonObject task) throws Exception {
    int slices = Math.max(SECOND, task.get("millis").getAsInt() / SLICE);
    boolean trips = task.get("trips").getAsBoolean();
    Map<String, Double> figures = new LinkedHashMap<>();
    try (Traffic fresh = new Traffic(copy, mtu, options)) {
      figures.put("first", 0.0);
      figures.put("ready_ms", fresh.daemon.readyMillis());
      if (trips) {
        Histogram[] found = fresh.trips(slices);
        for (int i = 0; i < slices; i++) {
          figures.put("p50_" + i, (double) found[i].getValueAtPercentile(50));
          figures.put("p99_" + i, (double) found[i].getValueAtPercentile(99));
        }
        figures.put("first", p99(found));
      } else {
        long[] found = fresh.writes(slices);
        for (int i = 0; i < slices; i++) {
          figures.put("gbps_" + i, GIGABITS * found[i]);
        }
        figures.put("first", gbps(found));
      }
    }
    double goal = trips ? p99(warm.trips(SECOND)) : gbps(warm.writes(SECOND));
    figures.put("warm", goal);
    if (!trips) {
      figures.put("warm_after_ms", (double) SLICE * warmFrom(figures, slices, STEADY * goal));
    }
    return Sample.of(figures);
  }

  /** The first of {@link #ROW} slices that reach a goodput; the number of slices if none do. */
  private static int warmFrom(Map<String, Double> figures, int slices, double goodput) {
    int row = 0;
    for (int i = 0; i < slices; i++) {
      row = figures.get("gbps_" + i) >= goodput ? row + 1 : 0;
      if (row == ROW) {
        return i + 1 - ROW;
      }
    }
    return slices;
  }

  private static double gbps(long[] arrived) {
    long sum = 0;
    for (int i = 0; i < SECOND; i++) {
      sum += arrived[i];
    }
    return GIGABITS * sum / SECOND;
  }

  private static double p99(Histogram[] times) {
    Histogram all = times[0].copy();
    for (int i = 1; i < SECOND; i++) {
      all.add(times[i]);
    }
    return all.getValueAtPercentile(99);
  }

  @Override
  public void close() throws IOException {
    if (warm != null) {
      warm.close();
    }
  }
}
