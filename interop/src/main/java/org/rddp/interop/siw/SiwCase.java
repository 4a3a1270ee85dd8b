package org.rddp.interop.siw;

/**
 * A row of the table.
 *
 * @param name what is said, between whom, over which link
 * @param action what happens; throws if it does not go as it should
 */
record SiwCase(String name, Action action) {
  /** What happens in a row. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }

  /** A row whose name says what, who opens the connection, and where. */
  static SiwCase of(String what, boolean weOpen, SiwLink link, Action talk) {
    String name = "%-34s %s  %s".formatted(what, weOpen ? "rddp -> siw" : "siw -> rddp", link);
    return new SiwCase(name, talk);
  }
}
