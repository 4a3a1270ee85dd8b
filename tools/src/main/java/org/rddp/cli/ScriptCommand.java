package org.rddp.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * A command that the script bin/rddp carries out; called only if Java is started without the
 * script.
 */
abstract class ScriptCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** What picocli does not know: the script reads it. */
  @Unmatched List<String> others = new ArrayList<>();

  @Override
  public Integer call() {
    throw new CommandFailedException(
        "'"
            + spec.name()
            + "' is a command of the script: use bin/rddp "
            + String.join(" ", spec.root().commandLine().getParseResult().originalArgs()));
  }
}
