package org.rddp.daemon.engine;

import org.rddp.ipc.control.ConnectionSettings;

/** The heap taken by a connection from its program's share. Engine thread only. */
final class ConnectionHeap {
  /**
   * Octets of a connection without requests: of all its layers, the retransmission queue filled.
   */
  private static final long CONNECTION = 16 << 10;

  /** Octets for a read or an atomic of the peer that waits for its response. */
  private static final long READ = 256;

  /** Octets of a queue of plain DDP. */
  private static final long QUEUE = 2048;

  private final HeapShare share;
  private long octets;

  private ConnectionHeap(HeapShare share, long octets) {
    this.share = share;
    this.octets = octets;
  }

  /** Takes the most heap that a connection with these settings may need, without its requests. */
  static ConnectionHeap take(Session session, ConnectionSettings settings)
      throws RequestRefusedException {
    // As many reads as atomics, in a queue whose length is a power of two.
    long reads = 4L * session.engine().rdmapSettings().ird();
    long octets =
        CONNECTION
            + reads * READ
            + settings.queues().size() * QUEUE
            + (long) settings.taggedNotices() * Integer.BYTES;
    session.heap().take("a connection", octets);
    return new ConnectionHeap(session.heap(), octets);
  }

  /** Gives it back; a second call does nothing. */
  void give() {
    share.give(octets);
    octets = 0;
  }
}
