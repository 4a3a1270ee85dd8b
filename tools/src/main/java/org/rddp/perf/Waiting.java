package org.rddp.perf;

/** How a program waits for completions and for what is written into its memory. */
public enum Waiting {
  /** It polls, and keeps its core. */
  POLL("polling"),

  /** It polls, and gives the core to others between polls. */
  YIELD("polling and yielding"),

  /** It sleeps until the daemon wakes it. */
  EVENTS("waiting for events");

  private final String title;

  Waiting(String title) {
    this.title = title;
  }

  /** Description for people. */
  public String title() {
    return title;
  }
}
