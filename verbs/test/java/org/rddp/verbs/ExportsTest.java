package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares what the library exports with what libibverbs and librdmacm export: the installed ones,
 * and those of the release that {@code test/exports.txt} lists. A function that is missing would be
 * libibverbs' own, which crashes with our objects.
 */
class ExportsTest {
  private static final Path LIST = Path.of("test", "exports.txt");

  /** Lines of the list: version, name, and "theirs" if the library need not export it. */
  private static Set<String> listed(boolean onlyOurs) throws IOException {
    return Files.readAllLines(LIST).stream()
        .filter(line -> !line.startsWith("#") && !(onlyOurs && line.endsWith(" theirs")))
        .map(line -> line.replace(" theirs", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The functions that a library defines, as "version name"; without a version only the name. */
  private static Set<String> exported(String library) throws Exception {
    Process nm =
        new ProcessBuilder("nm", "-D", "--defined-only", "--with-symbol-versions", library).start();
    Set<String> names;
    try (var lines = nm.inputReader()) {
      names =
          lines
              .lines()
              .map(line -> line.split(" "))
              .filter(words -> words[1].equals("T"))
              .map(words -> words[2].split("@+"))
              .map(parts -> parts.length == 1 ? parts[0] : parts[1] + " " + parts[0])
              .collect(Collectors.toCollection(TreeSet::new));
    }
    assertThat(nm.waitFor()).as("nm of %s (Debian: binutils)", library).isZero();
    return names;
  }

  private static String installed(String name) throws Exception {
    Process compiler = new ProcessBuilder("cc", "-print-file-name=" + name).start();
    try (var lines = compiler.inputReader()) {
      return lines.readLine();
    }
  }

  private static void assumeBuilt() {
    assumeTrue(
        Files.exists(RdmaPrograms.LIBRARY), "built where libibverbs-dev and librdmacm-dev are");
  }

  @Test
  void shouldExportWhatTheListedReleaseExports() throws Exception {
    assumeBuilt();
    Set<String> missing =
        listed(true).stream()
            .map(line -> line.substring(line.indexOf(' ') + 1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(missing).contains("ibv_alloc_buf", "rdma_connect");
    missing.removeAll(exported(RdmaPrograms.LIBRARY.toString()));
    assertThat(missing).as("missing in %s", RdmaPrograms.LIBRARY).isEmpty();
  }

  /** A newer library than the list's release may export more: add that to both. */
  @ParameterizedTest
  @ValueSource(strings = {"libibverbs.so.1", "librdmacm.so.1"})
  void shouldListWhatTheInstalledLibrariesExport(String library) throws Exception {
    assumeBuilt();
    Set<String> missing = exported(installed(library));
    missing.removeIf(name -> name.startsWith("IBVERBS_PRIVATE_"));
    assertThat(missing).hasSizeGreaterThan(30);
    missing.removeAll(listed(false));
    assertThat(missing).as("of %s, missing in %s", library, LIST).isEmpty();
  }
}
