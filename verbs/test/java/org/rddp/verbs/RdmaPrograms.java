package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts Debian's programs for libibverbs and librdmacm with the library preloaded. */
final class RdmaPrograms {
  /** The library; it is built where the headers of libibverbs and librdmacm are. */
  static final Path LIBRARY = Path.of("target", "librddp-verbs.so").toAbsolutePath();

  private RdmaPrograms() {}

  /**
   * Starts a program.
   *
   * @param socket of the daemon
   * @param command words that a space separates
   * @param output takes what it prints, errors included
   */
  static Process start(Path socket, String interfaceName, String command, Path output)
      throws IOException {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    assertThat(Path.of("/usr/bin", words.getFirst()))
        .as("to install: apt-get install rdmacm-utils perftest ibverbs-utils")
        .isExecutable();
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("LD_PRELOAD", LIBRARY.toString());
    builder.environment().put("RDDP_SOCKET", socket.toString());
    builder.environment().put("RDDP_INTERFACE", interfaceName);
    builder.environment().put("RDDP_VERBS_LOG", "1");
    return builder.start();
  }
}
