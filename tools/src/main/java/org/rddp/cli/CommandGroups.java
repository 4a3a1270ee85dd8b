package org.rddp.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * All commands, in the groups in which {@code rddp --help} lists them with a sentence each. Manual
 * pages and completion are made of the same, and a test compares {@code bin/setup/usage.txt}, which
 * bin/rddp prints before anything is built.
 */
final class CommandGroups {
  private static final List<Group> GROUPS =
      List.of(
          new Group(
              "A first look",
              java(DemoCommand.class),
              java(DoctorCommand.class),
              sourceTree("setup", "Find or install what rddp needs, and build it.")),
          new Group(
              "The daemon",
              java(DaemonCommand.class),
              java(ListCommand.class),
              java(StatCommand.class),
              java(TopCommand.class),
              java(ErrorsCommand.class),
              java(CaptureCommand.class),
              java(TraceCommand.class),
              java(IpsecCommand.class)),
          new Group(
              "Programs",
              java(VerbsCommand.class),
              java(SocketsCommand.class),
              java(EchoCommand.class),
              java(PingCommand.class),
              java(PerfCommand.class),
              java(ServeCommand.class),
              java(PutCommand.class),
              java(GetCommand.class)),
          new Group(
              "Development",
              sourceTree("test", "Build and run every test."),
              sourceTree(
                  "simulate",
                  "Simulate unreliable networks under virtual time, one run for each seed, and check"
                      + " invariants at every step."),
              sourceTree(
                  "soak",
                  "Run a daemon under programs that transfer, misbehave, are stopped and killed; kill,"
                      + " restart and replace the daemon, too."),
              sourceTree("fuzz", "Fuzz TCP, MPA or RDMAP, guided by code coverage."),
              sourceTree(
                  "bench",
                  "Compare rddp with other transports: run all benchmarks, or one by name."),
              sourceTree(
                  "package", "Build a tarball and a package of rddp, or an image for containers.")),
          // Hidden: what the demo runs.
          new Group(
              "",
              java(DemoSinkCommand.class),
              java(DemoSourceCommand.class),
              java(DemoRoundTripsCommand.class)));

  /** The longest name, with the indentation before it. */
  private static final int NAME_WIDTH = 12;

  private CommandGroups() {}

  private record Group(String title, List<Entry> commands) {
    Group(String title, Entry... commands) {
      this(title, List.of(commands));
    }
  }

  /** A command; those of the script share a class, so they come with name and sentence. */
  private record Entry(Class<?> type, String name, String sentence) {
    CommandSpec spec() {
      CommandSpec spec = CommandSpec.forAnnotatedObject(type).name(name);
      if (!sentence.isEmpty()) {
        spec.usageMessage().description(sentence);
      }
      return spec;
    }
  }

  private static Entry java(Class<?> type) {
    return new Entry(type, type.getAnnotation(CommandLine.Command.class).name(), "");
  }

  private static Entry sourceTree(String name, String sentence) {
    return new Entry(SourceTreeCommand.class, name, sentence);
  }

  /** Gives a command line all commands, or those of an installed copy. */
  static void addTo(CommandLine rddp, boolean installed) {
    GROUPS.stream()
        .flatMap(group -> group.commands.stream())
        .filter(each -> !installed || each.type != SourceTreeCommand.class)
        .forEach(each -> rddp.addSubcommand(each.spec()));
  }

  /** Renders the list of commands in the help. */
  static String render(Help help) {
    StringBuilder list = new StringBuilder();
    for (Group group : GROUPS) {
      List<String> there =
          group.commands.stream().map(Entry::name).filter(help.subcommands()::containsKey).toList();
      if (!there.isEmpty()) {
        list.append("\n").append(group.title).append(":\n");
        list.append(table(help, there).toString().stripTrailing()).append("\n");
      }
    }
    return list.toString();
  }

  private static TextTable table(Help help, List<String> names) {
    int width = help.commandSpec().usageMessage().width();
    TextTable table =
        TextTable.forColumns(
            help.colorScheme(),
            new Column(NAME_WIDTH, 2, Column.Overflow.SPAN),
            new Column(width - NAME_WIDTH, 2, Column.Overflow.WRAP));
    for (String name : names) {
      CommandLine command = help.commandSpec().subcommands().get(name);
      table.addRowValues(
          help.colorScheme().commandText(name).toString(),
          firstSentence(command.getCommandSpec().usageMessage().description()[0]));
    }
    return table;
  }

  private static String firstSentence(String text) {
    int end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end + 1);
  }
}
