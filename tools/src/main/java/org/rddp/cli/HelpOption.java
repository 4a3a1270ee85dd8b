package org.rddp.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Adds {@code --help} to every command and sets the layout of the help text. */
final class HelpOption {
  private HelpOption() {}

  /** Adds the option to a command and its subcommands. */
  static void addTo(CommandLine commandLine) {
    CommandSpec spec = commandLine.getCommandSpec();
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this help.").build());
    spec.usageMessage()
        .synopsisHeading("Usage: ")
        .descriptionHeading("%n")
        .parameterListHeading("%n")
        .optionListHeading("%nOptions:%n")
        .commandListHeading("%nCommands:%n")
        .sortOptions(false)
        .autoWidth(true);
    commandLine.getSubcommands().values().forEach(HelpOption::addTo);
  }
}
