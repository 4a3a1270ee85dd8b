package org.rddp.daemon.engine;

import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.StreamRing;

/** The memory of a message that lies in a ring. */
final class RingPieces {
  private RingPieces() {}

  /** Adds octets from a position on to a request: two pieces if they wrap. */
  static void add(StreamRequest request, StreamRing ring, long position, long octets) {
    long first = Math.min(octets, ring.inRow(position));
    if (first > 0) {
      request.memory(ring.address(position), first);
    }
    if (octets > first) {
      request.memory(ring.address(position + first), octets - first);
    }
  }
}
