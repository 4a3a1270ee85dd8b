package org.rddp.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;

/** Lists the commands in {@code rddp --help} by purpose, with a sentence each. */
final class CommandGroups implements IHelpSectionRenderer {
  /** All commands that are not hidden. */
  private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put("A first look", List.of("demo", "doctor", "setup"));
    GROUPS.put(
        "The daemon",
        List.of("daemon", "list", "stat", "top", "errors", "capture", "trace", "ipsec"));
    GROUPS.put(
        "Programs", List.of("verbs", "sockets", "echo", "ping", "perf", "serve", "put", "get"));
    GROUPS.put("Development", List.of("test", "simulate", "soak", "fuzz", "bench", "package"));
  }

  /** The longest name, with the indentation before it. */
  private static final int NAME_WIDTH = 12;

  @Override
  public String render(Help help) {
    StringJoiner all = new StringJoiner("\n");
    GROUPS.forEach((title, names) -> {
      List<String> there = names.stream().filter(help.subcommands()::containsKey).toList();
      if (!there.isEmpty()) {
        all.add("\n" + title + ":");
        all.add(table(help, there).toString().stripTrailing());
      }
    });
    return all + "\n";
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
