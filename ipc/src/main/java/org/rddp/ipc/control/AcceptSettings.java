package org.rddp.ipc.control;

import org.rddp.client.types.StartupOptions;

/**
 * Settings of one connection when it is accepted. Settings that are not set are those of the
 * listener's {@link ConnectionSettings}.
 *
 * @param receiveQueue RDMAP: number of the shared receive queue; 0: as the listener's
 * @param ird RDMAP: Reads of the peer that are served at a time, at most as many as the listener
 *     would serve; or {@link StartupOptions#CONFIGURED}: as the listener's
 * @param ord RDMAP: Reads and atomics of this program that may be outstanding at a time, likewise
 * @param domain number of the protection domain, or {@link #DOMAIN_OF_LISTENER}
 */
public record AcceptSettings(int receiveQueue, int ird, int ord, int domain) {
  /** The protection domain is the listener's. */
  public static final int DOMAIN_OF_LISTENER = -1;

  /** All settings are the listener's. */
  public static final AcceptSettings DEFAULTS =
      new AcceptSettings(
          0, StartupOptions.CONFIGURED, StartupOptions.CONFIGURED, DOMAIN_OF_LISTENER);

  /** Checks the ranges. */
  public AcceptSettings {
    StartupOptions.checkReads(ird, ord);
  }

  /** Whether a setting is set that plain DDP does not have. */
  public boolean needsRdmap() {
    return receiveQueue != 0
        || ird != StartupOptions.CONFIGURED
        || ord != StartupOptions.CONFIGURED;
  }

  void write(MessageBuffer buffer) {
    buffer.putInt(receiveQueue);
    buffer.putInt(ird);
    buffer.putInt(ord);
    buffer.putInt(domain);
  }

  static AcceptSettings read(MessageBuffer buffer) throws ControlProtocolException {
    try {
      return new AcceptSettings(buffer.getInt(), buffer.getInt(), buffer.getInt(), buffer.getInt());
    } catch (IllegalArgumentException e) {
      throw new ControlProtocolException(e.getMessage());
    }
  }
}
