package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine command =
      Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

  @Test
  void shouldListEveryCommand() {
    assertThat(command.execute("--help")).isZero();
    for (CommandLine sub : command.getSubcommands().values()) {
      CommandSpec spec = sub.getCommandSpec();
      if (!spec.usageMessage().hidden()) {
        assertThat(out.toString()).contains("  " + spec.name() + " ");
      }
    }
  }

  @Test
  void shouldListWhatTheScriptCarriesOut() throws IOException {
    Pattern branch = Pattern.compile("(?m)^ {8}([a-z]+)\\)$");
    String script = Files.readString(Path.of("..", "bin", "rddp"));
    List<String> names = branch.matcher(script).results().map(each -> each.group(1)).toList();
    assertThat(names).contains("setup", "soak");
    assertThat(command.getSubcommands().keySet()).containsAll(names);
  }

  @Test
  void shouldPrintTheHelpThatTheScriptPrintsBeforeAnythingIsBuilt() {
    assertThat(Path.of("..", "bin", "setup", "usage.txt"))
        .as("what 'rddp --help' prints: if it is another now, put it there")
        .hasContent(command.getUsageMessage());
  }

  @Test
  void shouldListOnlyWhatAnInstalledCopyCanDo() {
    assertThat(Main.installedCommandLine().getSubcommands())
        .containsKeys("daemon", "demo", "doctor")
        .doesNotContainKeys("setup", "test", "simulate", "soak", "fuzz", "bench", "package");
  }

  @Test
  void shouldExplainEveryCommandAndOption() {
    for (CommandLine sub : command.getSubcommands().values()) {
      assertThat(sub.getCommandSpec().usageMessage().description()).isNotEmpty();
      sub.getCommandSpec()
          .args()
          .forEach(argument -> assertThat(argument.description()).as("%s", argument).isNotEmpty());
    }
  }

  @Test
  void shouldNotHideAnUnknownCommandBehindTheHelp() {
    assertThat(command.execute("nosuch", "--help")).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("nosuch");
  }

  @Test
  void shouldPrintItsVersion() {
    assertThat(command.execute("--version")).isZero();
    assertThat(out.toString()).matches("rddp \\d+\\.\\d+.*\\R");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "pong", "--nonsense"})
  void shouldExitWithTwoOnUsageErrors(String arguments) {
    assertThat(command.execute(arguments.isEmpty() ? new String[0] : arguments.split(" ")))
        .isEqualTo(2);
    assertThat(err.toString()).startsWith("rddp: ").contains("rddp --help");
  }

  @Test
  void shouldAskForAConfigurationInASourceTree() {
    assertThat(command.execute("daemon")).isEqualTo(2);
    assertThat(err.toString()).startsWith("rddp: Missing required option: '--config=FILE'");
  }

  @Test
  void shouldTakeTheConfigurationInEtcInAnInstalledCopy() throws Exception {
    ProcessBuilder daemon = CommandProcess.of("daemon", "--check");
    daemon.command().add(1, "-Drddp.installed=true");
    Process process = daemon.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    assertThat(said).contains("/etc/rddp/rddpd.toml");
  }

  @Test
  void shouldRefuseToCaptureIntoADirectory() {
    assertThat(command.execute("capture", "/")).isEqualTo(2);
    assertThat(err.toString()).startsWith("rddp: / is a directory");
  }

  @ParameterizedTest
  @MethodSource("failures")
  void shouldDescribeFileErrors(Exception failure, String words) {
    new ErrorReporter().handleExecutionException(failure, command, null);
    assertThat(err.toString()).isEqualTo("rddp: " + words + "\n");
  }

  static List<Arguments> failures() {
    return List.of(
        Arguments.of(new NoSuchFileException("/a"), "there is no file or directory /a"),
        Arguments.of(new AccessDeniedException("/a"), "no permission to use /a"),
        Arguments.of(new FileAlreadyExistsException("/a"), "/a already exists"),
        Arguments.of(new NotDirectoryException("/a"), "/a: NotDirectoryException"),
        Arguments.of(new FileSystemException("/a", null, "No space left"), "/a: No space left"));
  }

  @Test
  void shouldExitWithOneWhenACommandFails() {
    assertThat(command.execute("doctor")).isEqualTo(1);
    assertThat(err.toString())
        .isEqualTo("rddp: 'doctor' is a command of the script: use bin/rddp doctor\n");
  }

  /** They are in manual pages and completion, which are made of these commands. */
  @Test
  void shouldListTheOptionsThatTheScriptReads() throws IOException {
    Pattern option = Pattern.compile("(?m)^ +(?:-h, )?(--[a-z-]+)");
    for (String name : List.of("verbs", "sockets")) {
      String script = Files.readString(Path.of("..", "bin", "setup", name + ".sh"));
      List<String> read = option.matcher(script).results().map(each -> each.group(1)).toList();
      assertThat(read).contains("--local", "--help");
      assertThat(command.getSubcommands().get(name).getCommandSpec().optionsMap().keySet())
          .as(name)
          .containsAll(read);
    }
  }
}
