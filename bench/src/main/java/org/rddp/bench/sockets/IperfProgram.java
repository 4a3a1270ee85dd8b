package org.rddp.bench.sockets;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.rddp.bench.harness.Sample;

/** Two of iperf3: {@code gbps} at the receiver. */
final class IperfProgram implements MeasuredProgram {
  @Override
  public List<String> server(String address, Path folder) {
    return List.of("iperf3", "-s", "-B", address, "-p", "" + PORT, "--forceflush");
  }

  @Override
  public String ready() {
    return "Server listening";
  }

  @Override
  public List<String> client(String address, SocketsTask task) {
    return List.of("iperf3", "-c", address, "-p", "" + PORT, "-t", "" + task.count(), "--json");
  }

  @Override
  public Sample sample(String printed) throws IOException {
    try {
      double rate =
          JsonParser.parseString(printed)
              .getAsJsonObject()
              .getAsJsonObject("end")
              .getAsJsonObject("sum_received")
              .get("bits_per_second")
              .getAsDouble();
      return Sample.of(Map.of("gbps", rate / 1e9));
    } catch (IllegalStateException | NullPointerException | JsonParseException e) {
      throw new IOException("iperf3 has printed no figures: " + printed, e);
    }
  }
}
