package org.rddp.bench.analysis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A part of a document that a command makes, between two comments. */
final class GeneratedSection {
  private final String begin;
  private final String end;

  /** The part that {@code bin/rddp} with these arguments makes. */
  GeneratedSection(String command) {
    begin = "<!-- made by bin/rddp " + command + "; not to be edited -->\n";
    end = "<!-- end of what bin/rddp " + command + " makes -->\n";
  }

  /**
   * Puts a text in place of the one that is there.
   *
   * @throws IOException when the file cannot be read or written, or lacks the two comments
   */
  void replace(Path file, String text) throws IOException {
    String before = Files.readString(file);
    int from = before.indexOf(begin);
    int to = before.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException(file + ": lacks the lines\n" + begin + end);
    }
    Files.writeString(file, before.substring(0, from) + begin + "\n" + text + before.substring(to));
  }
}
