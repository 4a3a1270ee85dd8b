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
    write("docs/unplaced.tsv", "id\treason");
    write("docs/README.md", "# Documents");
    code("X-1-01");
    tests("X-1-01\torg.rddp.a.B#c\tpassed");
  }

  private void write(String file, String... lines) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.write(path, List.of(lines));
  }

  private void code(String clauses) throws IOException {
    write("module/src/main/java/org/rddp/a/C.java", "class C {", "  int x = 1; // " + clauses, "}");
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
            id\tlevel\tstatus\twhere\tevidence
            X-1-01\tMUST\tshown\ta.C\torg.rddp.a.B#c
            X-1-02\tMUST\treason\t\tit cannot be observed
            Y-1-01\tSHOULD\tmissing\t\t
            """);
    assertThat(Files.readString(root.resolve("docs/conformance.md")))
        .startsWith(
            "# Conformance\n\nMUST: 1 of 2 shown, 1 not shown for a stated reason, 0 missing")
        .contains("| RFC1 | 1 of 2 |", "| X-1-01 | MUST | do \\| this | `a.C` | `a.B#c` |");
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
    code("X-1-01, X-1-02");
    tests("X-1-01\ta.B#c\tpassed");
    MatrixCommand.run("write", root);
    tests("X-1-01\ta.B#c\tpassed", "X-1-02\ta.B#d\tpassed");
    assertThat(MatrixCommand.run("check", root))
        .satisfiesExactly(
            first -> assertThat(first).contains("mvn verify"),
            second -> assertThat(second).isEqualTo("X-1-02\tMUST\tshown\ta.C\ta.B#d"));
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
  void shouldFindTheCodeThatNamesAClause() throws IOException {
    write("module/src/main/java/org/rddp/a/d/E.java", "// X-1-01, Y-1-01: both", "int X-1-02;");
    write("verbs/src/post.h", "int y; /* X-1-01 */");
    write("module/src/test/java/org/rddp/a/B.java", "// X-1-02");
    MatrixCommand.run("write", root);
    assertThat(Files.readAllLines(root.resolve("docs/conformance.tsv")))
        .containsExactly(
            MatrixRow.HEADER,
            "X-1-01\tMUST\tshown\ta.C a.d.E verbs/src/post.h\torg.rddp.a.B#c",
            "X-1-02\tMUST\tmissing\t\t",
            "Y-1-01\tSHOULD\tmissing\ta.d.E\t");
  }

  @Test
  void shouldRefuseCodeThatNamesAnUnknownClause() throws IOException {
    write("module/src/main/java/org/rddp/a/E.java", "// X-9-99");
    assertThat(MatrixCommand.run("names", root))
        .singleElement()
        .asString()
        .contains("X-9-99", "named by a.E");
  }

  @Test
  void shouldRefuseAClauseThatIsShownAndThatNoCodeNames() throws IOException {
    tests("X-1-01\ta.B#c\tpassed", "X-1-02\ta.B#d\tpassed");
    assertThat(MatrixCommand.run("names", root))
        .singleElement()
        .asString()
        .contains("X-1-02", "a.B#d");
    write("docs/unplaced.tsv", "id\treason", "X-1-02\tit is | arithmetic");
    assertThat(MatrixCommand.run("write", root)).isEmpty();
    assertThat(Files.readString(root.resolve("docs/conformance.md")))
        .contains("| *no code:* it is \\| arithmetic | `a.B#d` |");
  }

  @Test
  void shouldRefuseAnExcuseForAClauseThatCodeDecides() throws IOException {
    write("docs/unplaced.tsv", "id\treason", "X-1-01\tit is arithmetic");
    assertThat(MatrixCommand.run("names", root))
        .singleElement()
        .asString()
        .contains("X-1-01", "a.C");
  }

  @Test
  void shouldFillTheIndexOfTheDocuments() throws IOException {
    write(
        "docs/README.md",
        "| rule | RFC1 1: X-1-01 | `Old` | `OldTest` |",
        "| a | RFC1 | `b` | c |");
    assertThat(MatrixCommand.run("write", root)).isEmpty();
    assertThat(root.resolve("docs/README.md"))
        .hasContent("| rule | RFC1 1: X-1-01 | `a.C` | `a.B` |\n| a | RFC1 | `b` | c |");
    assertThat(MatrixCommand.run("check", root)).isEmpty();
    write("docs/README.md", "| rule | RFC1 1: X-1-01 | `Old` | `OldTest` |");
    assertThat(MatrixCommand.run("check", root))
        .satisfiesExactly(
            first -> assertThat(first).contains("docs/README.md", "mvn verify"),
            second -> assertThat(second).isEqualTo("| rule | RFC1 1: X-1-01 | `a.C` | `a.B` |"));
    write("docs/README.md", "| rule | RFC1 1: X-9-99 | `Old` | `OldTest` |");
    assertThatThrownBy(() -> MatrixCommand.run("check", root))
        .hasMessageContaining("docs/README.md names X-9-99");
  }

  @Test
  void shouldReportTheLineOfABrokenRow() throws IOException {
    write("docs/reasons.tsv", "id\treason", "X-1-01");
    assertThatThrownBy(() -> MatrixCommand.run("write", root))
        .hasMessageContaining("reasons.tsv:2 has 1 columns, not 2");
  }
}
