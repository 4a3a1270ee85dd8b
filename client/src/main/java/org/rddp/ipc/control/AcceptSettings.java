package org.rddp.ipc.control;

import org.rddp.client.types.StartupOptions;

/**
 * What a program chooses for one connection when it accepts it. What it does not choose is as the
 * listener's {@link ConnectionSettings} say.
 *
 * @param receiveQueue RDMAP: number of the shared receive queue; 0: as the listener's
 * @param ird RDMAP: Reads of the peer that are served at a time, at most as many as the listener
 *     would serve; or {@link StartupOptions#CONFIGURED}: as the listener's
 * @param ord RDMAP: Reads and atomics of this program that may be outstanding at a time, likewise
 */
public record AcceptSettings(int receiveQueue, int ird, int ord) {
  /** Everything as the listener's settings say. */
  public static final AcceptSettings DEFAULTS =
      new AcceptSettings(0, StartupOptions.CONFIGURED, StartupOptions.CONFIGURED);

  /** Checks the ranges. */
  public AcceptSettings {
    StartupOptions.checkReads(ird, ord);
  }

  void write(MessageBuffer buffer) {
    buffer.putInt(receiveQueue);
    buffer.putInt(ird);
    buffer.putInt(ord);
  }

  static AcceptSettings read(MessageBuffer buffer) throws ControlProtocolException {
    try {
      return new AcceptSettings(buffer.getInt(), buffer.getInt(), buffer.getInt());
    } catch (IllegalArgumentException e) {
      throw new ControlProtocolException(e.getMessage());
    }
  }
}
