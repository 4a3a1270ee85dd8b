package org.rddp.transfer;

import org.rddp.client.Connection;
import org.rddp.client.Rddp;
import org.rddp.perf.PerfRequest;

/**
 * Makes the peers that measure, within a limit of memory for all of them together: what one peer
 * takes, others cannot.
 */
final class MeasuringPeers {
  private final Rddp session;
  private final int slots;
  private final long memory;
  private long used;

  /**
   * No peers yet.
   *
   * @param slots receives of a peer, at the most
   * @param memory octets for all peers together
   */
  MeasuringPeers(Rddp session, int slots, long memory) {
    this.session = session;
    this.slots = slots;
    this.memory = memory;
  }

  /**
   * Makes a peer.
   *
   * @throws IllegalArgumentException when there is not enough memory, or the request is wrong
   * @throws org.rddp.client.RefusedException when a limit of the session is reached
   */
  Peer create(Connection connection, PerfRequest request) {
    long needed = octets(request, 1);
    if (needed > memory - used) {
      throw new IllegalArgumentException(
          "the echo server has memory of %d octets left for measurements, and this needs %d:"
                  .formatted(memory - used, needed)
              + " see --perf-memory of 'rddp echo'");
    }
    int receives = slots;
    while (octets(request, receives) > memory - used) {
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

  /** A peer has ended. */
  void freed(Peer peer) {
    used -= peer.measuringOctets();
  }
}
