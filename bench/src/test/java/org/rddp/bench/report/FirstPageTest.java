package org.rddp.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstPageTest {
  private static final String MARKS =
      """
      before
      <!-- made by bin/rddp bench; not to be edited -->
      old
      <!-- end of what bin/rddp bench makes -->
      after
      """;

  @TempDir private Path project;

  @Test
  void shouldPutFiguresAndTheirChartIntoTheReadme() throws IOException {
    Path readme = Files.writeString(project.resolve("README.md"), MARKS);
    Path document = Files.createDirectory(project.resolve("docs")).resolve("benchmarks.md");
    Files.writeString(
        document,
        """
        <!-- made by bin/rddp bench rtt; not to be edited -->
        ### Goals
        | goal | found |
        |---|---|
        | rddp | 9 |
        ### 64 octets to and fro
        | contender | p50 | p99 |
        |---|---|---|
        | rddp | 1.16 (1.15-1.33) | 1.54 |
        | kernel TCP, busy-polling | 7.70 (7.64-8.34) | 14.6 |
        <!-- end of what bin/rddp bench rtt makes -->
        <!-- made by bin/rddp bench rate; not to be edited -->
        ### Messages a second
        |  | rddp | rddp, packing | kernel TCP | kernel TCP, 64 messages a write() |
        |---|---|---|---|---|
        | 64 octets, 64 outstanding | 3.76 (3.71-3.79) M/s | 6.15 M/s | 205 k/s | cannot run |

        Meanwhile: CPU pressure 8 %. **DISTURBED** by others: 1,024 octets, 64 outstanding. Not steady.
        <!-- end of what bin/rddp bench rate makes -->
        <!-- made by bin/rddp bench linux; not to be edited -->
        ### Goodput between two daemons
        | contender | 16 KiB | 64 KiB | 1 MiB |
        |---|---|---|---|
        | rddp, two daemons, linux: | 7.13 Gb/s | 15.2 (13.7-15.7) Gb/s | 9.56 Gb/s |
        | kernel TCP | 17.3 Gb/s | 18.7 (18.6-21.4) Gb/s | 12.7 Gb/s |

        Meanwhile: CPU pressure 26 %. **DISTURBED** by others: 16 KiB; 1 MiB.
        <!-- end of what bin/rddp bench linux makes -->
        """);
    FirstPage.write(document);
    assertThat(readme)
        .content()
        .startsWith("before\n")
        .contains(
            "| two daemons, `linux:` on veth | 64 KiB, MTU 1500 | 15.2 Gb/s | 18.7 Gb/s |  |\n")
        .contains("| two daemons, `linux:` on veth | 1 MiB, MTU 1500 | - | - |  |\n")
        .contains("| round trip of 64 octets, us | 1.16 | 7.70 | - |\n")
        .contains("| writes of 64 octets | 3.76 M/s | 205 k/s |  |\n")
        .contains("| the same, packed by 64 | 6.15 M/s | cannot run |  |\n")
        .contains("| 1 MiB, MTU 1500 | - | - | - |\n")
        .contains("](docs/benchmarks/first-page.png)\n")
        .doesNotContain("old")
        .endsWith("after\n");
    assertThat(project.resolve("docs/benchmarks/first-page.png")).isNotEmptyFile();
  }

  @Test
  void shouldLeaveAReadmeWithoutAPlaceForThemAlone() throws IOException {
    Path readme = Files.writeString(project.resolve("README.md"), "of another project\n");
    FirstPage.write(Files.createDirectory(project.resolve("docs")).resolve("benchmarks.md"));
    assertThat(readme).hasContent("of another project\n");
  }
}
