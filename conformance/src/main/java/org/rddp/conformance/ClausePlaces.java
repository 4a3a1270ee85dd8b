package org.rddp.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the lines of main code, Java and C, that name a clause by its id in a comment. */
final class ClausePlaces {
  /** A main source in Java, its class as a group, or in C. */
  private static final Pattern SOURCE =
      Pattern.compile("[^/]+/src/(?:main/java/(?:org/rddp/)?(.+)\\.java|[^/]+\\.[ch])");

  private static final Pattern COMMENT = Pattern.compile("//.*|/\\*.*");

  private ClausePlaces() {}

  /**
   * Reads the main sources of all modules.
   *
   * @param root the project's folder
   * @return by clause the classes that name it, without {@code org.rddp.}, or the files in C
   */
  static Map<String, Set<String>> find(Path root) throws IOException {
    List<Path> folders;
    try (Stream<Path> modules = Files.list(root)) {
      folders = modules.map(module -> module.resolve("src")).filter(Files::isDirectory).toList();
    }
    Map<String, Set<String>> places = new TreeMap<>();
    for (Path folder : folders) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.toList()) {
          Matcher source = SOURCE.matcher(root.relativize(file).toString());
          if (source.matches()) {
            String java = source.group(1);
            String name = java == null ? source.group() : java.replace('/', '.');
            clausesOf(file)
                .forEach(id -> places.computeIfAbsent(id, key -> new TreeSet<>()).add(name));
          }
        }
      }
    }
    return places;
  }

  private static List<String> clausesOf(Path file) throws IOException {
    return COMMENT
        .matcher(Files.readString(file))
        .results()
        .flatMap(comment -> Clause.ID.matcher(comment.group()).results())
        .map(id -> id.group())
        .toList();
  }
}
