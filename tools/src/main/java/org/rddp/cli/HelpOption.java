package org.rddp.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code --help} and how it looks, the same in every command. */
final class HelpOption {
  private HelpOption() {}

  /** Adds it to a command and to all commands within it. */
  static void addTo(CommandLine commandLine) {
    CommandSpec spec = commandLine.getCommandSpec();
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this.").build());
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
