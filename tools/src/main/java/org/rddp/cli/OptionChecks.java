package org.rddp.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks the values of options. */
public final class OptionChecks {
  private OptionChecks() {}

  /** Throws a usage error (exit code 2) unless a condition holds. */
  public static void require(CommandSpec spec, boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  /** Checks that a path names a directory. */
  static void requireDirectory(CommandSpec spec, Path path) {
    String wrong =
        Files.exists(path) ? path + " is not a directory" : "there is no directory " + path;
    require(spec, Files.isDirectory(path), wrong);
  }

  /** Checks that a path names a regular file. */
  static void requireFile(CommandSpec spec, Path path) {
    String wrong =
        Files.exists(path) ? path + " is not a regular file" : "there is no file " + path;
    require(spec, Files.isRegularFile(path), wrong);
  }

  /** Checks that a path is not a directory, so that a file can be written there. */
  static void requireNewFile(CommandSpec spec, Path path) {
    require(spec, !Files.isDirectory(path), path + " is a directory: give the path of a file");
    requireDirectory(spec, path.toAbsolutePath().getParent());
  }

  /** Checks a port number to listen at. */
  static void requirePort(CommandSpec spec, int port) {
    require(spec, port >= 1 && port <= 65535, "--port is 1 to 65535, not " + port);
  }
}
