package org.rddp.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A project with three clauses, and the results of its tests. */
class MatrixTest {
  @TempDir private Path root;

  @BeforeEach
  void clauses() throws IOException {
    write(
        "docs/clauses.tsv",
        "id\tdoc\tsection\tlevel\tside\trequirement\thow_to_test",
        "X-1-01\tRFC1\t1\tMUST\ttx\tdo | this\tlook",
        "X-1-02\tRFC1\t1\tMUST\ttx\tdo that\tlook",
        "Y-1-01\tRFC2\t1\tSHOULD\trx\ttry\tlook");
    write("docs/reasons.tsv", "id\treason");
    tests("X-1-01\ta.B#c\tpassed");
  }

  private void write(String file, String... lines) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.write(path, List.of(lines));
  }

  private void tests(String... rows) throws IOException {
    String[] lines = new String[rows.length + 1];
    lines[0] = ClauseOutcome.HEADER;
    System.arraycopy(rows, 0, lines, 1, rows.length);
    write("module/target/clauses.tsv", lines);
  }

  @Test
  void shouldListTestsOrReasonOfEachClause() throws IOException {
    write("docs/reasons.tsv", "id\treason", "X-1-02\tit cannot be observed");
    assertThat(MatrixCommand.run("write", root)).isEmpty();
    assertThat(root.resolve("docs/conformance.tsv"))
        .hasContent(
            """
            id\tlevel\tstatus\tevidence
            X-1-01\tMUST\tshown\ta.B#c
            X-1-02\tMUST\treason\tit cannot be observed
            Y-1-01\tSHOULD\tmissing\t
            """);
    assertThat(Files.readString(root.resolve("docs/conformance.md")))
        .startsWith(
            "# Conformance\n\nMUST: 1 of 2 shown, 1 not shown for a stated reason, 0 missing")
        .contains("| RFC1 | 1 of 2 |", "| X-1-01 | MUST | do \\| this | `a.B#c` |");
  }

  @Test
  void shouldAcceptItsOwnDocuments() throws IOException {
    MatrixCommand.run("write", root);
    assertThat(MatrixCommand.run("check", root)).isEmpty();
  }

  @Test
  void shouldRefuseAnUnknownClause() throws IOException {
    tests("X-9-99\ta.B#c\tpassed");
    assertThat(MatrixCommand.run("write", root))
        .singleElement()
        .asString()
        .contains("X-9-99", "a.B#c");
  }

  @Test
  void shouldRefuseAClaimWhoseTestFailsOrIsMissing() throws IOException {
    MatrixCommand.run("write", root);
    tests("X-1-01\ta.B#c\tfailed");
    assertThat(MatrixCommand.run("check", root))
        .singleElement()
        .asString()
        .contains("X-1-01 (MUST)");
    tests();
    assertThat(MatrixCommand.run("check", root))
        .singleElement()
        .asString()
        .contains("X-1-01 (MUST)");
  }

  @Test
  void shouldRefuseDocumentsThatAreOutOfDate() throws IOException {
    MatrixCommand.run("write", root);
    tests("X-1-01\ta.B#c\tpassed", "X-1-02\ta.B#d\tpassed");
    assertThat(MatrixCommand.run("check", root))
        .satisfiesExactly(
            first -> assertThat(first).contains("mvn verify"),
            second -> assertThat(second).isEqualTo("X-1-02\tMUST\tshown\ta.B#d"));
  }

  @Test
  void shouldCheckOnlyNamesWhenSomeTestsCannotRun() throws IOException {
    MatrixCommand.run("write", root);
    tests();
    assertThat(MatrixCommand.run("names", root)).isEmpty();
    tests("X-9-99\ta.B#c\tpassed");
    assertThat(MatrixCommand.run("names", root)).singleElement().asString().contains("X-9-99");
  }

  @Test
  void shouldRefuseAReasonForAShownClause() throws IOException {
    write("docs/reasons.tsv", "id\treason", "X-1-01\tit cannot be observed");
    assertThat(MatrixCommand.run("write", root))
        .singleElement()
        .asString()
        .contains("X-1-01", "a.B#c");
  }

  @Test
  void shouldReportTheLineOfABrokenRow() throws IOException {
    write("docs/reasons.tsv", "id\treason", "X-1-01");
    assertThatThrownBy(() -> MatrixCommand.run("write", root))
        .hasMessageContaining("reasons.tsv:2 has 1 columns, not 2");
  }
}
