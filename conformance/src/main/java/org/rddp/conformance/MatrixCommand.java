package org.rddp.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Generates {@code docs/conformance.md} and {@code docs/conformance.tsv} from the test results and
 * the main sources of all modules, and fills the index of {@code docs/README.md}.
 *
 * <p>Arguments: the goal and the project's folder. Each goal fails when a test or a comment names
 * an unknown clause, or when no comment names one that a test shows.
 *
 * <ul>
 *   <li>{@code write} writes the documents.
 *   <li>{@code check} also fails when a clause that the committed documents claim has no passing
 *       test, or when the documents differ from the results.
 *   <li>{@code names} does nothing more: for machines on which some tests cannot run.
 * </ul>
 */
public final class MatrixCommand {
  private final Path docs;
  private final Matrix matrix;
  private final List<String> faults;

  private MatrixCommand(Path root) throws IOException {
    docs = root.resolve("docs");
    matrix =
        new Matrix(
            clauses(),
            reasons("reasons.tsv"),
            recordedOutcomes(root),
            reasons("unplaced.tsv"),
            ClausePlaces.find(root));
    faults = new ArrayList<>(matrix.faults());
  }

  /** Exits with 0, 1 (the matrix is wrong) or 2 (wrong arguments). */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2 || !arguments[0].matches("write|check|names")) {
      System.err.println("usage: write|check|names FOLDER");
      System.exit(2);
    }
    List<String> faults = run(arguments[0], Path.of(arguments[1]));
    faults.forEach(fault -> System.err.println("[ERROR] conformance: " + fault));
    if (!faults.isEmpty()) {
      System.exit(1);
    }
  }

  /**
   * Carries out a goal.
   *
   * @param goal {@code write}, {@code check} or {@code names}
   * @return what is wrong; empty if nothing is
   */
  static List<String> run(String goal, Path root) throws IOException {
    MatrixCommand main = new MatrixCommand(root);
    if (goal.equals("check")) {
      main.check();
    } else if (goal.equals("write")) {
      main.write();
    }
    return main.faults;
  }

  private void write() throws IOException {
    MatrixReport report = new MatrixReport(matrix.rows());
    Files.write(docs.resolve("conformance.tsv"), report.tsv());
    Files.write(docs.resolve("conformance.md"), report.markdown());
    Files.write(docs.resolve("README.md"), filledIndex());
  }

  private List<String> filledIndex() throws IOException {
    return new DocumentIndex(matrix.rows()).filled(Files.readAllLines(docs.resolve("README.md")));
  }

  private void check() throws IOException {
    List<String[]> committed = TsvFile.read(docs.resolve("conformance.tsv"), 5);
    List<String> claimed =
        committed.stream()
            .filter(row -> row[2].equals(ClauseStatus.SHOWN.word()))
            .map(row -> row[0])
            .toList();
    faults.addAll(matrix.brokenClaims(claimed));
    MatrixReport report = new MatrixReport(matrix.rows());
    List<String> before = Files.readAllLines(docs.resolve("conformance.tsv"));
    boolean same =
        before.equals(report.tsv())
            && Files.readAllLines(docs.resolve("conformance.md")).equals(report.markdown());
    if (faults.isEmpty() && !same) {
      List<String> others = new ArrayList<>(report.tsv());
      others.removeAll(before);
      faults.add("docs/conformance.* are out of date; `mvn verify` writes them anew. They lack:");
      faults.addAll(others);
    }
    List<String> rows = new ArrayList<>(filledIndex());
    rows.removeAll(Files.readAllLines(docs.resolve("README.md")));
    if (faults.isEmpty() && !rows.isEmpty()) {
      faults.add("docs/README.md is out of date; `mvn verify` writes it anew. It lacks:");
      faults.addAll(rows);
    }
  }

  private List<Clause> clauses() throws IOException {
    return TsvFile.read(docs.resolve("clauses.tsv"), 7).stream()
        .map(row -> new Clause(row[0], row[1], row[2], row[3], row[5]))
        .toList();
  }

  private Map<String, String> reasons(String file) throws IOException {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (String[] row : TsvFile.read(docs.resolve(file), 2)) {
      reasons.put(row[0], row[1]);
    }
    return reasons;
  }

  private static List<ClauseOutcome> recordedOutcomes(Path root) throws IOException {
    List<Path> records;
    try (Stream<Path> modules = Files.list(root)) {
      records =
          modules
              .map(module -> module.resolve(ClauseOutcome.FILE))
              .filter(Files::exists)
              .sorted()
              .toList();
    }
    List<ClauseOutcome> outcomes = new ArrayList<>();
    for (Path record : records) {
      TsvFile.read(record, ClauseOutcome.COLUMNS).stream()
          .map(ClauseOutcome::of)
          .forEach(outcomes::add);
    }
    return outcomes;
  }
}
