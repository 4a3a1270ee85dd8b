package org.rddp.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A part of a document that a command makes, between two comments. */
public final class GeneratedSection {
  private final String begin;
  private final String end;

  /** The part that {@code bin/rddp} with these arguments makes. */
  public GeneratedSection(String command) {
    begin = "<!-- made by bin/rddp " + command + "; not to be edited -->\n";
    end = "<!-- end of what bin/rddp " + command + " makes -->\n";
  }

  /**
   * Checks that there is a part to be replaced, before much is done for it.
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
   * Puts a text in place of the one that is there.
   *
   * @throws IOException when the file cannot be read or written, or lacks the two comments
   */
  public void replace(Path file, String text) throws IOException {
    List<String> around = around(file);
    Files.writeString(file, around.getFirst() + begin + "\n" + text + around.getLast());
  }

  /** What is before the part, and what begins with its end. */
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
