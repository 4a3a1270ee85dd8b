package org.rddp.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code bin/rddp bench jmh}: the JMH benchmarks of the layers, with JMH's own options. */
@Command(
    name = "jmh",
    description =
        "JMH benchmarks of each layer, with JMH's own options: 'rddp bench jmh -h' lists them.")
public final class JmhCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", hidden = true)
  private List<String> arguments = new ArrayList<>();

  /** Runs JMH, which ends the process itself on errors. */
  @Override
  public Integer call() throws IOException {
    org.openjdk.jmh.Main.main(arguments.toArray(String[]::new));
    return 0;
  }
}
