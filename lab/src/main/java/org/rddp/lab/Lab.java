package org.rddp.lab;

import org.rddp.cli.Main;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands of the lab, as bin/rddp runs them. */
@Command(
    name = "rddp",
    subcommands = {SimulateCommand.class, SoakCommand.class, SoakProgramCommand.class})
public final class Lab {
  private Lab() {}

  /** Runs a command and exits with its exit code. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** The command line; tests run it with their own output. */
  static CommandLine commandLine() {
    return Main.commandLine(new Lab());
  }
}
