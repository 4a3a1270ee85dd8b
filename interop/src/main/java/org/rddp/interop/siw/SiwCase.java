package org.rddp.interop.siw;

/**
 * A case of the table.
 *
 * @param name with the peers and the link
 * @param action that throws when the case fails
 */
record SiwCase(String name, Action action) {
  /** The action of a case. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }

  /** A case whose name has the opener of the connection and the link. */
  static SiwCase of(String what, boolean weOpen, SiwLink link, Action talk) {
    String name = "%-34s %s  %s".formatted(what, weOpen ? "rddp -> siw" : "siw -> rddp", link);
    return new SiwCase(name, talk);
  }
}
