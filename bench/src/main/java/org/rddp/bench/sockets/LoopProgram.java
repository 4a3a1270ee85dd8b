package org.rddp.bench.sockets;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.BuiltFile;

/**
 * The loops of {@code sockets/bench/loops.c}.
 *
 * @param loop {@code ping}: {@code mean}, {@code p50}, {@code p99} and {@code max} in ns; {@code
 *     connect}: {@code rate} a second; {@code wait}: {@code wait} in ns; {@code memory}: {@code
 *     octets} of a connection
 */
record LoopProgram(String loop) implements MeasuredProgram {
  private static String program() throws CannotRunException {
    return BuiltFile.of("sockets", "loops-sockets", "a C compiler").toString();
  }

  @Override
  public List<String> server(String address, Path folder) throws CannotRunException {
    return List.of(program(), "serve", address, "" + PORT);
  }

  @Override
  public String ready() {
    return "ready";
  }

  @Override
  public List<String> client(String address, SocketsTask task) throws CannotRunException {
    return List.of(program(), loop, address, "" + PORT, "" + task.count());
  }

  @Override
  public Sample sample(String printed) throws IOException {
    Map<String, Double> figures = new LinkedHashMap<>();
    try {
      for (String line : printed.lines().toList()) {
        String[] words = line.split(" ", -1);
        figures.put(words[0], Double.parseDouble(words[1]));
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new IOException("the loop has printed no figures: " + printed, e);
    }
    return Sample.of(figures);
  }
}
