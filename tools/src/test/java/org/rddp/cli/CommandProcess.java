package org.rddp.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A command of rddp in its own process, for tests of standard output and signals. */
final class CommandProcess {
  private CommandProcess() {}

  /** The process, not started. */
  static ProcessBuilder of(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }
}
