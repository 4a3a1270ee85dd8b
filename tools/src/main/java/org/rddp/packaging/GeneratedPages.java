package org.rddp.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.cli.Main;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Writes what picocli generates from the commands of an installed copy: a manual page for each in
 * AsciiDoc, and the completion for bash, which zsh can use, too.
 */
public final class GeneratedPages {
  /** File of the completion. */
  static final String COMPLETION = "rddp.bash";

  private static final boolean[] QUIET = new boolean[0];

  private GeneratedPages() {}

  /** Writes all of it into the folder that the only argument names. */
  public static void main(String[] arguments) throws IOException {
    write(Path.of(arguments[0]));
  }

  /** Writes all of it into a folder, which is created if it does not exist. */
  static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    CommandLine rddp = Main.installedCommandLine();
    int failed =
        ManPageGenerator.generateManPage(
            folder.toFile(), null, QUIET, false, rddp.getCommandSpec());
    if (failed != 0) {
      throw new IOException("picocli wrote no manual pages: code " + failed);
    }
    Files.writeString(folder.resolve(COMPLETION), AutoComplete.bash("rddp", rddp));
  }
}
