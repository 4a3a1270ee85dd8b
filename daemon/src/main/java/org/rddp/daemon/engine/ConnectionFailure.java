package org.rddp.daemon.engine;

/**
 * The failure of a connection, for the log.
 *
 * @param interfaceName the interface
 * @param session number of the session in the daemon
 * @param owner the owner of the session
 * @param program name of the session's program
 * @param ends the addresses
 * @param text why it failed
 */
public record ConnectionFailure(
    String interfaceName,
    int session,
    SessionOwner owner,
    String program,
    ConnectionEnds ends,
    String text) {
  /** The connection, such as {@code one 10.0.0.1:7471 - 10.0.0.2:49152}. */
  public String connection() {
    return interfaceName + " " + ends.local() + " - " + ends.remote();
  }
}
