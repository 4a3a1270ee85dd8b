package org.rddp.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code rddp}. docs/operations.md explains the exit codes. */
@Command(
    name = "rddp",
    versionProvider = Version.class,
    description =
        "Remote Direct Data Placement in user space: write into another machine's memory.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:success; for the daemon also: ended gracefully by a signal",
      "1:the command failed; the message says why",
      "2:the arguments or the configuration cannot be used",
      "141:the reader of standard output has ended"
    },
    footer = {
      "",
      "'rddp COMMAND --help' describes a command.",
      "Start with 'rddp demo', which needs no network card and cleans up after itself."
    })
public final class Main implements Callable<Integer> {
  /** Property that bin/rddp sets in an installed copy. */
  private static final String INSTALLED = "rddp.installed";

  @Spec private CommandSpec spec;

  private Main() {}

  /** Runs a command and exits with its exit code. */
  public static void main(String[] arguments) {
    // JLine, which the progress bar uses, too, would query the terminal, and some terminals'
    // answers would stay in the shell's input.
    System.setProperty("org.jline.terminal.graphemeCluster", "false");
    System.exit(commandLine(isInstalled()).execute(arguments));
  }

  /** Whether this is an installed copy, not a source tree. */
  static boolean isInstalled() {
    return Boolean.getBoolean(INSTALLED);
  }

  /** The command line of an installed copy, without the commands that need a source tree. */
  public static CommandLine installedCommandLine() {
    return commandLine(true);
  }

  /** The command line of a source tree; tests run it with their own output. */
  static CommandLine commandLine() {
    return commandLine(false);
  }

  private static CommandLine commandLine(boolean installed) {
    CommandLine commandLine = new CommandLine(new Main());
    CommandGroups.addTo(commandLine, installed);
    prepare(commandLine);
    commandLine.getCommandSpec().usageMessage().commandListHeading("");
    commandLine
        .getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::render);
    commandLine
        .getCommandSpec()
        .addOption(
            OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Show the version.")
                .build());
    return commandLine;
  }

  /** A command line for other commands, with the options, messages and exit codes of rddp's. */
  public static CommandLine commandLine(Object commands) {
    return prepare(new CommandLine(commands));
  }

  private static CommandLine prepare(CommandLine commandLine) {
    ErrorReporter failures = new ErrorReporter();
    HelpOption.addTo(commandLine);
    Numbers.addTo(commandLine);
    return commandLine
        .setOut(Output.standard())
        .setExecutionStrategy(Main::execute)
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(RemoteAddress.class, new RemoteAddress.Converter());
  }

  /** Without this, the help option hides that there is no such command. */
  private static int execute(ParseResult parsed) {
    if (!parsed.hasSubcommand() && !parsed.unmatched().isEmpty()) {
      throw new UnmatchedArgumentException(parsed.commandSpec().commandLine(), parsed.unmatched());
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }
}
