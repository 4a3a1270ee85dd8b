package org.rddp.client;

import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.StartupOptions;
import org.rddp.ipc.control.AcceptSettings;

/**
 * Options of one connection when it is accepted. Options that are not set are those of the
 * listener's {@link ConnectionOptions}.
 *
 * @param receiveQueue RDMAP: the shared receive queue of the connection, to which no receive may
 *     have been posted yet; null: as the listener's
 * @param ird RDMAP: Reads of the peer that are served at a time, and as many atomics: 0 to the
 *     listener's; or {@link StartupOptions#CONFIGURED}: as the listener's. What is in use is at
 *     most the peer's ORD
 * @param ord RDMAP: Reads and atomics of this program that may be outstanding at a time, likewise.
 *     It also holds if the peer's IRD is unknown: the program has then agreed on it by other means
 * @param domain number of the protection domain, see {@link ProtectionDomains}; or {@link
 *     #DOMAIN_OF_LISTENER}. It may differ from the listener's only until something is posted to the
 *     connection. A region that was registered for the connection before keeps its domain
 */
public record AcceptOptions(SharedReceiveQueue receiveQueue, int ird, int ord, int domain) {
  /** The protection domain is the listener's. */
  public static final int DOMAIN_OF_LISTENER = AcceptSettings.DOMAIN_OF_LISTENER;

  /** All options are the listener's. */
  public static final AcceptOptions DEFAULTS =
      new AcceptOptions(
          null, StartupOptions.CONFIGURED, StartupOptions.CONFIGURED, DOMAIN_OF_LISTENER);

  /** Checks the ranges. */
  public AcceptOptions {
    StartupOptions.checkReads(ird, ord);
    if (domain != DOMAIN_OF_LISTENER) {
      ProtectionDomains.check(domain);
    }
  }

  /** Copies the options with a shared receive queue, or null for the listener's. */
  public AcceptOptions withReceiveQueue(SharedReceiveQueue queue) {
    return new AcceptOptions(queue, ird, ord, domain);
  }

  /** Copies the options with another IRD and ORD. */
  public AcceptOptions withReads(int in, int out) {
    return new AcceptOptions(receiveQueue, in, out, domain);
  }

  /** Copies the options with another protection domain. */
  public AcceptOptions withDomain(int number) {
    return new AcceptOptions(receiveQueue, ird, ord, number);
  }

  /** Checks that a session may use the options. */
  void check(Rddp session) {
    if (receiveQueue != null && receiveQueue.session() != session) {
      throw new IllegalArgumentException("the receive queue belongs to another session");
    }
  }

  AcceptSettings settings() {
    return new AcceptSettings(receiveQueue == null ? 0 : receiveQueue.id(), ird, ord, domain);
  }
}
