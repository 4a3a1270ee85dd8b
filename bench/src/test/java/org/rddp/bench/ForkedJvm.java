package org.rddp.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own for a main class of the tests: the arguments of this one, and more. */
public final class ForkedJvm {
  private static final long LONGEST_SECONDS = 300;

  private ForkedJvm() {}

  /**
   * Runs it to its end.
   *
   * @param flags of the JVM, besides those of this one
   * @return the lines of its standard output
   * @throws AssertionError when it fails, with what it said
   */
  public static List<String> run(Class<?> main, List<String> flags, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-XX:+UseSerialGC");
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
