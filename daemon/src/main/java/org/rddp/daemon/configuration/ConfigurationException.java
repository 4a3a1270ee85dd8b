package org.rddp.daemon.configuration;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used: everything that is wrong with it, at once. */
public final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<ConfigurationProblem> problems;

  ConfigurationException(List<ConfigurationProblem> problems) {
    super(problems.stream().map(ConfigurationProblem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** Everything found, in the order of the file; at least one. */
  public List<ConfigurationProblem> problems() {
    return problems;
  }
}
