package org.rddp.dpdk;

import java.nio.file.Path;
import java.util.List;

/** DPDK for a test class: ordinary pages, no rights needed, no files. */
final class TestEal {
  private static final String PREFIX = "rddp-" + ProcessHandle.current().pid();

  private TestEal() {}

  static void init() {
    Eal.init(arguments().list());
  }

  static EalArguments arguments() {
    return EalArguments.ordinaryPages(64).withLogLevel("error");
  }

  /** Where DPDK may have put its files. */
  static List<Path> folders() {
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    return List.of(
        Path.of("/var/run/dpdk", PREFIX),
        Path.of(runtime == null ? "/tmp" : runtime, "dpdk", PREFIX));
  }
}
