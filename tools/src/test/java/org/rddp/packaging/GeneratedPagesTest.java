package org.rddp.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.cli.Main;
import picocli.CommandLine;

class GeneratedPagesTest {
  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    GeneratedPages.write(folder);
  }

  @Test
  void shouldDescribeEveryCommandAndItsOptions() throws IOException {
    for (CommandLine command : Main.installedCommandLine().getSubcommands().values()) {
      Path page = folder.resolve("rddp-" + command.getCommandName() + ".adoc");
      if (command.getCommandSpec().usageMessage().hidden()) {
        assertThat(page).doesNotExist();
      } else {
        assertThat(page).exists();
        assertThat(Files.readString(page)).contains("--help");
      }
    }
    assertThat(folder.resolve("rddp.adoc")).exists();
    assertThat(folder.resolve("rddp-test.adoc")).doesNotExist();
  }

  @Test
  void shouldCompleteCommandsAndOptions() throws IOException {
    assertThat(Files.readString(folder.resolve(GeneratedPages.COMPLETION)))
        .contains("daemon", "ping", "--interface")
        .doesNotContain("fuzz");
  }
}
