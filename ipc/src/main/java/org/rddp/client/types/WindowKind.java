package org.rddp.client.types;

/** Who chooses a memory window's STags, and who may use the window. */
public enum WindowKind {
  /**
   * The daemon chooses an unpredictable new STag for each bind. For the peer of the connection that
   * binds it; must be invalidated before it is bound again.
   */
  RENAMED(0),
  /**
   * Type 2 of verbs: like RENAMED, but each bind names the last octet of the STag; its other bits
   * stay.
   */
  TYPE_2(1),
  /**
   * Type 1 of verbs: with keys, for the peers of all connections of the session; none of them can
   * invalidate it. May be bound at any time, which closes the part that the bind before has opened;
   * a bind of no octets does only that.
   */
  TYPE_1(2);

  private final int code;

  WindowKind(int code) {
    this.code = code;
  }

  /** The number in the control protocol. */
  public int code() {
    return code;
  }

  /** The kind with a number; null if there is none. */
  public static WindowKind of(int code) {
    return code >= 0 && code < values().length ? values()[code] : null;
  }
}
