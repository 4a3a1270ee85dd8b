package org.rddp.interop.siw;

/**
 * A row of the table.
 *
 * @param name what is said, between whom, over which link
 * @param conversation what happens; throws if it does not go as it should
 */
record Row(String name, Talk conversation) {
  /** What happens in a row. */
  @FunctionalInterface
  interface Talk {
    void run() throws Exception;
  }

  /** A row whose name says what, who opens the connection, and where. */
  static Row of(String what, boolean weOpen, Link link, Talk talk) {
    String name = "%-34s %s  %s".formatted(what, weOpen ? "rddp -> siw" : "siw -> rddp", link);
    return new Row(name, talk);
  }
}
