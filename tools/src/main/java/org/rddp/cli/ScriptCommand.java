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
  @Unmatched private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() {
    arguments.addFirst(spec.name());
    throw new CommandFailedException(
        "'"
            + spec.name()
            + "' is a command of the script: use bin/rddp "
            + String.join(" ", arguments));
  }
}
