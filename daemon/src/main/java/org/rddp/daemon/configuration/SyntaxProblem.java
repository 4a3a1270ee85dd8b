package org.rddp.daemon.configuration;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tomlj.TomlParseError;

/** Reports TOML syntax errors in the form of the other problems. */
final class SyntaxProblem {
  private static final Pattern LINE = Pattern.compile("\\s*([A-Za-z0-9_-]+)\\s*=\\s*(.*)");
  private static final Pattern BARE = Pattern.compile("([^\"'\\[{#=,\\s][^\"'#]*?)\\s*(?:#.*)?");
  private static final Pattern TABLE = Pattern.compile("\\s*\\[{1,2}\\s*([A-Za-z0-9_.-]+).*");
  private static final Pattern DEFINED =
      Pattern.compile("(.*) previously defined at line (\\d+), column \\d+");
  private static final Pattern EXPECTED = Pattern.compile("(Unexpected .*), expected (.*)");

  private SyntaxProblem() {}

  static ConfigurationProblem of(String file, String text, TomlParseError error) {
    int number = error.position().line();
    List<String> lines = text.lines().toList();
    String line = number <= lines.size() ? lines.get(number - 1) : "";
    Matcher assignment = LINE.matcher(line);
    boolean assigned = assignment.matches();
    String key = assigned ? table(lines, number) + assignment.group(1) : "";
    Matcher defined = DEFINED.matcher(error.getMessage());
    if (defined.matches()) {
      return problem(
          file,
          error,
          key,
          (assigned ? "is set" : "the table " + defined.group(1) + " is begun")
              + " in line "
              + defined.group(2)
              + " already; allowed: once");
    }
    if (assigned && BARE.matcher(assignment.group(2)).matches()) {
      String value = assignment.group(2).replaceFirst("\\s*#.*", "").strip();
      return problem(
          file,
          error,
          key,
          value
              + " is neither a number nor true or false nor in quotes; allowed: "
              + assignment.group(1)
              + " = \""
              + value
              + "\"");
    }
    return problem(file, error, key, plain(error.getMessage()));
  }

  /** The header of a line's table, with a dot, or an empty text. */
  private static String table(List<String> lines, int number) {
    for (int i = number - 2; i >= 0; i--) {
      Matcher table = TABLE.matcher(lines.get(i));
      if (table.matches()) {
        return table.group(1) + ".";
      }
    }
    return "";
  }

  private static String plain(String message) {
    Matcher expected = EXPECTED.matcher(message);
    String said =
        expected.matches() ? expected.group(1) + "; allowed: " + expected.group(2) : message;
    return "is not TOML: " + said.substring(0, 1).toLowerCase(Locale.ROOT) + said.substring(1);
  }

  private static ConfigurationProblem problem(
      String file, TomlParseError error, String key, String message) {
    return new ConfigurationProblem(
        file, error.position().line(), error.position().column(), key, message);
  }
}
