package org.rddp.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records the tests that carry a clause's id as a tag, with their results, in {@code
 * target/clauses.tsv} of the module under test. JUnit finds this class by itself. A run of some
 * tests replaces their lines and keeps the others, except those of tests that no longer exist.
 */
public final class ClauseListener implements TestExecutionListener {
  private final Path file;
  private final Map<String, ClauseOutcome> outcomes = new TreeMap<>();
  private final Set<String> executed = new HashSet<>();

  /** Called by JUnit. */
  public ClauseListener() {
    this(ClauseOutcome.FILE);
  }

  ClauseListener(Path file) {
    this.file = file;
  }

  @Override
  public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
    if (identifier.isTest() && identifier.getSource().orElse(null) instanceof MethodSource method) {
      String test = method.getClassName() + "#" + method.getMethodName();
      boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      executed.add(test);
      identifier.getTags().stream()
          .map(tag -> tag.getName())
          .filter(tag -> Clause.ID.matcher(tag).matches())
          .forEach(clause -> add(new ClauseOutcome(clause, test, passed)));
    }
  }

  private void add(ClauseOutcome outcome) {
    outcomes.merge(
        outcome.clause() + "\t" + outcome.test(), outcome, (one, two) -> one.passed() ? two : one);
  }

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    try {
      if (Files.exists(file)) {
        TsvFile.read(file, ClauseOutcome.COLUMNS).stream()
            .map(ClauseOutcome::of)
            .filter(earlier -> !executed.contains(earlier.test()) && exists(earlier.test()))
            .forEach(this::add);
      }
      List<String> lines = new ArrayList<>();
      lines.add(ClauseOutcome.HEADER);
      outcomes.values().forEach(outcome -> lines.add(outcome.row()));
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(file, lines);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static boolean exists(String test) {
    int hash = test.indexOf('#');
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try {
      Method[] methods = Class.forName(test.substring(0, hash), false, loader).getDeclaredMethods();
      return Arrays.stream(methods).anyMatch(m -> m.getName().equals(test.substring(hash + 1)));
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
