package org.rddp.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads files of lines with tab-separated columns; the first line names the columns. */
final class TsvFile {
  private TsvFile() {}

  /**
   * The rows after the first line.
   *
   * @param columns how many columns each row has
   * @throws IOException when the file cannot be read
   * @throws IllegalArgumentException when a row has a different number of columns
   */
  static List<String[]> read(Path file, int columns) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String[]> rows = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String[] row = lines.get(i).split("\t", -1);
      if (row.length != columns) {
        throw new IllegalArgumentException(
            "%s:%d has %d columns, not %d".formatted(file, i + 1, row.length, columns));
      }
      rows.add(row);
    }
    return rows;
  }
}
