package org.rddp.daemon.configuration;

import java.util.Collection;
import java.util.Comparator;
import java.util.TreeSet;

/** Suggests a known word for a mistyped one. */
public final class Suggestion {
  private Suggestion() {}

  /** "did you mean X?", or the known words if none is similar. */
  public static String among(String word, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
        .filter(candidate -> distance(word, candidate) <= Math.max(2, word.length() / 3))
        .map(candidate -> "did you mean " + candidate + "?")
        .orElseGet(() -> "allowed: " + String.join(", ", new TreeSet<>(known)));
  }

  /** The Levenshtein distance of two words. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
