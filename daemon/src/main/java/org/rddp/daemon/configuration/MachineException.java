package org.rddp.daemon.configuration;

import java.util.List;
import java.util.stream.Collectors;

/** The machine lacks, or does not allow, something that a configuration names. */
public final class MachineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<MachineProblem> problems;

  /** Creates an exception for at least one problem. */
  public MachineException(List<MachineProblem> problems) {
    super(problems.stream().map(MachineProblem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** Creates an exception for one problem. */
  public MachineException(MachineProblem problem, Throwable cause) {
    super(problem.toString(), cause);
    this.problems = List.of(problem);
  }

  /** The problems; at least one. */
  public List<MachineProblem> problems() {
    return problems;
  }
}
