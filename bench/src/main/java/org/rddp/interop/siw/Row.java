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
}
