package org.rddp.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The documents name only classes, methods, packages, files and headings that exist. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentsTest {
  private static final Path ROOT = Path.of("..");

  /**
   * A class in backticks, optionally with (a part of) its package before it and a member after it.
   */
  private static final Pattern CLASS =
      Pattern.compile("`((?:[a-z]\\w*\\.)*)([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?(?:\\(.*?\\))?`");

  private static final Pattern PACKAGE = Pattern.compile("`(org\\.rddp(?:\\.[a-z]\\w*)*)`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ +(.*)$", Pattern.MULTILINE);

  /** Classes of the JDK and of libraries, and one that stands for any. */
  private static final Set<String> FOREIGN =
      Set.of(
          "AsynchronousCloseException",
          "CompletableFuture",
          "IOException",
          "IllegalArgumentException",
          "IllegalStateException",
          "IndexOutOfBoundsException",
          "InterruptibleChannel",
          "MemorySegment",
          "Random",
          "SelectableChannel",
          "SelectorProvider",
          "Socket",
          "SocketException",
          "System",
          "Thread",
          "ThreadMXBean",
          "Throwable",
          "UnsafeApi",
          "UnsupportedClassVersionError",
          "VarHandle",
          "XyzCommand");

  /** Source files by the simple names of their classes. */
  private final Map<String, List<Path>> sources = new HashMap<>();

  @BeforeAll
  void findSources() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      // Modules in C have their sources in src and their tests, some of them in Java, in test.
      for (Path folder :
          modules
              .flatMap(module -> Stream.of(module.resolve("src"), module.resolve("test")))
              .toList()) {
        if (Files.isDirectory(folder)) {
          try (Stream<Path> files = Files.walk(folder)) {
            files
                .filter(file -> file.toString().endsWith(".java"))
                .forEach(file ->
                    sources.computeIfAbsent(simpleName(file), name -> new ArrayList<>()).add(file));
          }
        }
      }
    }
  }

  private static String simpleName(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  /**
   * The documents that people write, except the changelog, which names what former versions had.
   */
  static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
              docs.filter(file -> file.toString().endsWith(".md"))
                  .filter(file -> !file.endsWith("conformance.md"))
                  .sorted())
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void shouldNameClassesAndMembersThatExist(Path document) throws IOException {
    List<String> missing = new ArrayList<>();
    Matcher named = CLASS.matcher(Files.readString(document));
    while (named.find()) {
      if (!exists(named.group(1), named.group(2), named.group(3))) {
        missing.add(named.group());
      }
    }
    assertThat(missing).as("names in %s", document).isEmpty();
  }

  /** JMH's names of benchmarks lack the end of the class's name: Turn.write is in TurnBenchmark. */
  private boolean exists(String prefix, String name, String member) throws IOException {
    if (prefix.startsWith("jdk.") || (prefix.isEmpty() && FOREIGN.contains(name))) {
      return true;
    }
    String folder = "/" + prefix.replace('.', '/');
    List<Path> files = new ArrayList<>(sources.getOrDefault(name, List.of()));
    files.addAll(sources.getOrDefault(name + "Benchmark", List.of()));
    for (Path file : files) {
      boolean inPackage = (file.getParent() + "/").replace('\\', '/').endsWith(folder);
      if (inPackage && (member == null || mentions(file, member))) {
        return true;
      }
    }
    return false;
  }

  private static boolean mentions(Path file, String member) throws IOException {
    return Pattern.compile("\\b" + Pattern.quote(member) + "\\b")
        .matcher(Files.readString(file))
        .find();
  }

  @ParameterizedTest
  @MethodSource("documents")
  void shouldNamePackagesThatExist(Path document) throws IOException {
    Set<String> packages =
        sources.values().stream()
            .flatMap(List::stream)
            .map(file -> file.getParent().toString().replace('/', '.'))
            .collect(Collectors.toSet());
    List<String> missing = new ArrayList<>();
    Matcher named = PACKAGE.matcher(Files.readString(document));
    while (named.find()) {
      String name = "." + named.group(1);
      if (packages.stream().noneMatch(one -> one.endsWith(name) || one.contains(name + "."))) {
        missing.add(named.group());
      }
    }
    assertThat(missing).as("packages in %s", document).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("documents")
  void shouldLinkToFilesAndHeadingsThatExist(Path document) throws IOException {
    List<String> broken = new ArrayList<>();
    Matcher link = LINK.matcher(Files.readString(document));
    while (link.find()) {
      String path = link.group(1);
      if (path.contains(":")) {
        continue;
      }
      Path target = path.isEmpty() ? document : document.resolveSibling(path);
      if (!Files.exists(target)
          || (link.group(2) != null && !anchors(target).contains(link.group(2)))) {
        broken.add(link.group());
      }
    }
    assertThat(broken).as("links in %s", document).isEmpty();
  }

  /** Headings as the fragments of links to them: lower case, hyphens for spaces, no punctuation. */
  private static List<String> anchors(Path document) throws IOException {
    return HEADING
        .matcher(Files.readString(document))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(text -> text.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
        .toList();
  }
}
