package org.rddp.dpdk;

/** DPDK for a test class: ordinary pages, no rights needed, nothing shared with another process. */
final class TestEal {
  private TestEal() {}

  static void init() {
    Eal.init(arguments().list());
  }

  static EalArguments arguments() {
    return EalArguments.ordinaryPages(64, "rddp-test-" + ProcessHandle.current().pid())
        .withLogLevel("error");
  }
}
