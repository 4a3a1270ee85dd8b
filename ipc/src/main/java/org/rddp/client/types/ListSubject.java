package org.rddp.client.types;

/** What {@link org.rddp.client.Rddp#list} lists. */
public enum ListSubject {
  /** Programs that are connected to the daemon. */
  SESSIONS(1),
  /** Connections of the sessions that have not ended, once their program knows of them. */
  CONNECTIONS(2),
  /** Ports at which sessions accept connections. */
  LISTENERS(3),
  /** Distinct errors since the daemon was started. */
  ERRORS(4),
  /** Security associations of all interfaces; only for root and the daemon's own user. */
  ASSOCIATIONS(5),
  /**
   * Tenants, on each engine, that share what it sends; others see the one that their user is in.
   */
  TENANTS(6);

  private final int code;

  ListSubject(int code) {
    this.code = code;
  }

  /** The number in the control protocol. */
  public int code() {
    return code;
  }

  /** The subject with a number; null if there is none. */
  public static ListSubject of(int code) {
    return code >= 1 && code <= values().length ? values()[code - 1] : null;
  }
}
