package org.rddp.transfer;

import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.types.PrivateData;

/** A peer of the echo server: its connection, its memory, and what is done for it. */
abstract class Peer {
  private final Connection connection;
  private boolean closing;
  private int share;

  Peer(Connection connection) {
    this.connection = connection;
  }

  final Connection connection() {
    return connection;
  }

  /** The private data of the MPA Reply: it names the buffer that the peer may write and read. */
  abstract PrivateData reply();

  abstract void onCompletion(Completion completion);

  /**
   * Posts what could not be posted before, until a queue is full.
   *
   * @return whether something is left
   */
  abstract boolean post();

  /** Whether everything that has arrived so far has been answered. */
  abstract boolean isAnswered();

  /** Frees its memory, after the connection has ended. */
  abstract void free();

  /** Octets that count towards the memory for measurements. */
  long measuringOctets() {
    return 0;
  }

  /** Whether the server polls for some time after the peer's last message, instead of sleeping. */
  boolean wantsPolling() {
    return false;
  }

  /** Sets how many peers' slots it has. */
  final void share(int peers) {
    share = peers;
  }

  /** How many peers' slots it has. */
  final int share() {
    return share;
  }

  /** True for the first call: the connection is closed once. */
  final boolean beginsClosing() {
    boolean first = !closing;
    closing = true;
    return first;
  }
}
