package org.rddp.bench.sockets;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.harness.Sample;

/**
 * redis-server and redis-benchmark, GET: {@code mean} in ns from one request to the next, {@code
 * p50}, {@code p99} and {@code max} in ns, and {@code rate} in requests a second.
 */
final class RedisProgram implements MeasuredProgram {
  /**
   * redis-benchmark counts times in steps of 8 us (its histogram begins at 10 us) and prints the
   * last microsecond of a step: so much, in ms, before it is the step's middle.
   */
  private static final double HALF_STEP = 0.0035;

  @Override
  public List<String> server(String address, Path folder) {
    return List.of(
        "redis-server",
        "--bind",
        address,
        "--port",
        "" + PORT,
        "--save",
        "",
        "--protected-mode",
        "no");
  }

  @Override
  public String ready() {
    return "Ready to accept connections";
  }

  @Override
  public List<String> client(String address, SocketsTask task) {
    return List.of(
        "redis-benchmark",
        "-h",
        address,
        "-p",
        "" + PORT,
        "-c",
        "" + task.connections(),
        "-n",
        "" + task.count(),
        "-t",
        "get",
        "--csv");
  }

  /** The figures of redis-benchmark's line of GET, whose times are in ms. */
  @Override
  public Sample sample(String printed) throws IOException {
    for (String line : printed.lines().toList()) {
      String[] columns = line.replace("\"", "").split(",", -1);
      if (columns.length >= 8 && columns[0].equals("GET")) {
        double rate = Double.parseDouble(columns[1]);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("mean", 1e9 / rate);
        figures.put("rate", rate);
        figures.put("p50", (Double.parseDouble(columns[4]) - HALF_STEP) * 1e6);
        figures.put("p99", (Double.parseDouble(columns[6]) - HALF_STEP) * 1e6);
        figures.put("max", Double.parseDouble(columns[7]) * 1e6);
        return Sample.of(figures);
      }
    }
    throw new IOException("redis-benchmark has printed no figures: " + printed);
  }
}
