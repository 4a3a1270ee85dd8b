package org.rddp.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A separate JVM for a main class of the tests, with the daemon's flags. */
public final class ForkedJvm {
  private static final long LONGEST_SECONDS = 300;

  private ForkedJvm() {}

  /** As bin/rddp starts it. */
  private static List<String> flagsOfDaemon() throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("../bin/setup/flags", "daemon");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError("bin/setup/flags: " + process.exitValue());
    }
    return said.lines().toList();
  }

  /**
   * Runs it until it ends.
   *
   * @param flags of the JVM, besides those of the daemon's
   * @return the lines of its standard output
   * @throws AssertionError when it fails, with what it said
   */
  public static List<String> run(Class<?> main, List<String> flags, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flagsOfDaemon());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    Path output = Files.createTempFile("rddp-forked", ".out");
    Path errors = Files.createTempFile("rddp-forked", ".err");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile())
              .start();
      if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError(main.getName() + " has not ended");
      }
      if (process.exitValue() != 0) {
        throw new AssertionError(
            main.getName() + ": " + Files.readString(errors, StandardCharsets.UTF_8));
      }
      return Files.readAllLines(output, StandardCharsets.UTF_8);
    } finally {
      Files.delete(output);
      Files.delete(errors);
    }
  }
}
