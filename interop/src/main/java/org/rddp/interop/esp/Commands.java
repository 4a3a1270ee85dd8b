package org.rddp.interop.esp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs commands on the host. */
final class Commands {
  private Commands() {}

  /**
   * Runs a command, and throws with what it says if it fails.
   *
   * @param input for its standard input
   */
  static void run(List<String> words, String input) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    try (var writer = process.outputWriter(StandardCharsets.US_ASCII)) {
      writer.write(input);
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", words) + ": " + said.strip());
    }
  }
}
