package org.rddp.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A section of a document that a command generates, between two comments. */
public final class GeneratedSection {
  private final String begin;
  private final String end;

  /** The section that {@code bin/rddp} generates with these arguments. */
  public GeneratedSection(String command) {
    begin = "<!-- made by bin/rddp " + command + "; not to be edited -->\n";
    end = "<!-- end of what bin/rddp " + command + " makes -->\n";
  }

  /**
   * Checks that the document has the section, before anything is measured for it.
   *
   * @throws IOException when the file cannot be read or written, or lacks the two comments
   */
  public void check(Path file) throws IOException {
    if (!Files.isWritable(file)) {
      throw new IOException(file + ": no file that can be written");
    }
    around(file);
  }

  /**
   * Replaces the text of the section.
   *
   * @throws IOException when the file cannot be read or written, or lacks the two comments
   */
  public void replace(Path file, String text) throws IOException {
    List<String> around = around(file);
    Files.writeString(file, around.getFirst() + begin + "\n" + text + around.getLast());
  }

  /**
   * The lines of the section; none where the document lacks it.
   *
   * @throws IOException when the file cannot be read
   */
  public List<String> lines(Path file) throws IOException {
    String all = Files.readString(file);
    int from = all.indexOf(begin);
    int to = all.indexOf(end);
    return from < 0 || to < from
        ? List.of()
        : all.substring(from + begin.length(), to).lines().toList();
  }

  /** The text before the section, and the text from its end on. */
  private List<String> around(Path file) throws IOException {
    String all = Files.readString(file);
    int from = all.indexOf(begin);
    int to = all.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException(file + ": lacks the lines\n" + begin + end);
    }
    return List.of(all.substring(0, from), all.substring(to));
  }
}
