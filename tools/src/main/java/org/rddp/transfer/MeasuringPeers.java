package org.rddp.transfer;

import org.rddp.client.Connection;
import org.rddp.client.Rddp;
import org.rddp.perf.PerfRequest;

/** Makes peers that measure, within a limit of memory for all of them together. */
final class MeasuringPeers {
  /** One peer with more than one receive takes at most the memory divided by this. */
  private static final int SHARE = 4;

  private final Rddp session;
  private final long memory;
  private long used;

  /**
   * Starts without peers.
   *
   * @param memory octets for all peers together
   */
  MeasuringPeers(Rddp session, long memory) {
    this.session = session;
    this.memory = memory;
  }

  /**
   * Makes a peer.
   *
   * @param slots its receives, at the most
   * @throws IllegalArgumentException when there is not enough memory, or the request is wrong
   * @throws org.rddp.client.RefusedException when a limit of the session is reached
   */
  Peer create(Connection connection, PerfRequest request, int slots) {
    long needed = octets(request, 1);
    if (needed > memory - used) {
      throw new IllegalArgumentException(
          "the echo server has %d octets left for measurements, and this one needs %d:"
                  .formatted(memory - used, needed)
              + " see --perf-memory of 'rddp echo'");
    }
    int receives = Math.min(slots, session.limits().receiveQueue());
    long most = Math.min(memory - used, memory / SHARE);
    while (receives > 1 && octets(request, receives) > most) {
      receives--;
    }
    Peer peer =
        switch (request.service()) {
          case LOAD -> new LoadPeer(session, connection, receives, request);
          case WRITE_BACK -> new WriteBackPeer(session, connection, request);
          case SEND_BACK -> new MeasuredEchoPeer(session, connection, receives, request);
        };
    used += peer.measuringOctets();
    return peer;
  }

  private static long octets(PerfRequest request, int slots) {
    return switch (request.service()) {
      case LOAD -> LoadPeer.octets(request, slots);
      case WRITE_BACK -> request.bufferOctets();
      case SEND_BACK -> MeasuredEchoPeer.octets(request, slots);
    };
  }

  /** Releases the memory of a peer that has ended. */
  void freed(Peer peer) {
    used -= peer.measuringOctets();
  }
}
