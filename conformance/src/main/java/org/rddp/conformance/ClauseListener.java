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
import java.util.regex.MatchResult;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records the tests that carry a clause's id, with their results, in {@code target/clauses.tsv} of
 * the module under test: as a tag of the test, or in a row of its table, whose name shows the
 * arguments. JUnit finds this class by itself. A run of some tests replaces their lines and keeps
 * the others, except those of tests that no longer exist.
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
      Stream<String> tags =
          identifier.getTags().stream()
              .map(TestTag::getName)
              .filter(tag -> Clause.ID.matcher(tag).matches());
      Stream.concat(tags, clausesOfRow(identifier))
          .forEach(clause -> add(new ClauseOutcome(clause, test, passed)));
    }
  }

  private static Stream<String> clausesOfRow(TestIdentifier identifier) {
    String kind = identifier.getUniqueIdObject().getLastSegment().getType();
    return kind.equals("test-template-invocation")
        ? Clause.ID.matcher(identifier.getDisplayName()).results().map(MatchResult::group)
        : Stream.empty();
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
