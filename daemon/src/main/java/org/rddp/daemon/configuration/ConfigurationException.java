package org.rddp.daemon.configuration;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration is not valid. Lists all problems. */
public final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<ConfigurationProblem> problems;

  ConfigurationException(List<ConfigurationProblem> problems) {
    super(problems.stream().map(ConfigurationProblem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** The problems in the order of the file; at least one. */
  public List<ConfigurationProblem> problems() {
    return problems;
  }
}
