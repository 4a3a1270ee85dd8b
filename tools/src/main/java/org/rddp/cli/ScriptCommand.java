package org.rddp.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** A command that bin/rddp carries out itself; it gets here only when Java is started by hand. */
abstract class ScriptCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Unmatched private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() {
    arguments.addFirst(spec.name());
    throw new CommandFailedException(
        "'" + spec.name() + "' is not in Java: use bin/rddp " + String.join(" ", arguments));
  }
}
