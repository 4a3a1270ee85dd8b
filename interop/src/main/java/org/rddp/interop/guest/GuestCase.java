package org.rddp.interop.guest;

/**
 * A case of the table.
 *
 * @param name with the peers and the link
 * @param action throws when the case fails
 */
public record GuestCase(String name, Action action) {
  /** The action of a case. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  /** A case whose name has the opener of the connection and the link. */
  public static GuestCase of(String what, boolean weOpen, GuestLink link, Action talk) {
    String guest = link.guestName();
    String way = weOpen ? "rddp -> " + guest : guest + " -> rddp";
    String name = "%-34s %s  %s".formatted(what, way, link);
    return new GuestCase(name, talk);
  }
}
