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
import java.util.regex.Pattern;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes down which test carries which clause's id as a tag and what came of it, in {@code
 * target/clauses.tsv} of the module that is tested. JUnit finds it by itself. A run of some tests
 * replaces their lines and keeps the others, but for those of tests that there are no more.
 */
public final class ClauseListener implements TestExecutionListener {
  /** What a clause's id looks like; other tags are nobody's business here. */
  private static final Pattern ID = Pattern.compile("[A-Z][A-Z0-9]*-[A-Za-z0-9.]+-[0-9]+[a-z]?");

  private final Path record;
  private final Map<String, ClauseOutcome> outcomes = new TreeMap<>();
  private final Set<String> ran = new HashSet<>();

  /** For JUnit. */
  public ClauseListener() {
    this(ClauseOutcome.FILE);
  }

  ClauseListener(Path record) {
    this.record = record;
  }

  @Override
  public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
    if (identifier.isTest() && identifier.getSource().orElse(null) instanceof MethodSource method) {
      String test = method.getClassName() + "#" + method.getMethodName();
      boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      ran.add(test);
      identifier.getTags().stream()
          .map(tag -> tag.getName())
          .filter(tag -> ID.matcher(tag).matches())
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
      if (Files.exists(record)) {
        TsvFile.read(record, ClauseOutcome.COLUMNS).stream()
            .map(ClauseOutcome::of)
            .filter(earlier -> !ran.contains(earlier.test()) && exists(earlier.test()))
            .forEach(this::add);
      }
      List<String> lines = new ArrayList<>();
      lines.add(ClauseOutcome.HEADER);
      outcomes.values().forEach(outcome -> lines.add(outcome.row()));
      Files.createDirectories(record.toAbsolutePath().getParent());
      Files.write(record, lines);
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
    } catch (ClassNotFoundException gone) {
      return false;
    }
  }
}
