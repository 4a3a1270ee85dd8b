package org.rddp.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;

/** Lines that a command prints at once, whatever standard output is. */
final class Output {
  private Output() {}

  static void println(CommandSpec spec, String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
