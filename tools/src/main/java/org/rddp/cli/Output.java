package org.rddp.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;

/** Prints lines and flushes them, also if standard output is a pipe. */
final class Output {
  private Output() {}

  static void println(CommandSpec spec, String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
