package org.rddp.dpdk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's hugepages, which DPDK takes its memory from unless told otherwise. */
public final class Hugepages {
  private static final Path KERNEL = Path.of("/sys/kernel/mm/hugepages");

  private Hugepages() {}

  /**
   * Octets of free and unreserved hugepages of all sizes; 0 if there are none. Includes pages that
   * the kernel may create on demand (overcommit).
   */
  public static long available() {
    return available(KERNEL);
  }

  /** Reads a directory laid out like the kernel's. */
  static long available(Path root) {
    if (!Files.isDirectory(root)) {
      return 0;
    }
    long octets = 0;
    try (DirectoryStream<Path> sizes = Files.newDirectoryStream(root, "hugepages-*kB")) {
      for (Path size : sizes) {
        String name = size.getFileName().toString();
        long pageOctets =
            Long.parseLong(name.substring("hugepages-".length(), name.length() - 2)) << 10;
        long pages =
            number(size.resolve("free_hugepages"))
                - number(size.resolve("resv_hugepages"))
                + number(size.resolve("nr_overcommit_hugepages"))
                - number(size.resolve("surplus_hugepages"));
        octets += Math.max(0, pages) * pageOctets;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return octets;
  }

  private static long number(Path file) throws IOException {
    return Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
  }
}
