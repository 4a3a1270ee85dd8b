package org.rddp.daemon.engine;

import org.rddp.ipc.ring.StreamRing;
import org.rddp.snapshot.Snapshot;

/**
 * Decides when a ring of an octet stream gets longer: once it has often been nearly full. So a
 * stream in bulk has room for what its programs do while another one has the processor, and all
 * others take little memory.
 */
final class RingGrowth {
  /** Times that a ring has to be nearly full. */
  private static final int OFTEN = 8;

  private int times;
  private boolean asked;
  private boolean allowed;

  /** Takes the room that the ring has when it is likely to be least. */
  void note(StreamRing ring, long room) {
    if (room <= ring.octets() / 4) {
      times++;
    }
  }

  /** Whether memory is to be allocated for a longer ring. Says so once. */
  boolean ask(StreamRing ring) {
    boolean due = !asked && times >= OFTEN && ring.octets() < ring.largest();
    asked |= due;
    return due;
  }

  /** The memory has been allocated. */
  void allow() {
    allowed = true;
  }

  /** Whether the ring may get longer. */
  boolean isAllowed(StreamRing ring) {
    return allowed && ring.octets() < ring.largest();
  }

  /**
   * Transfers it, with the length of the ring. When read, memory is asked for again that has been
   * asked for and not come.
   */
  void transfer(Snapshot snapshot, StreamRing ring) {
    snapshot.begin(RingGrowth.class);
    times = snapshot.number("times", times);
    asked = snapshot.flag("asked", asked);
    allowed = snapshot.flag("allowed", allowed);
    int octets = snapshot.number("octets", ring.octets());
    if (!ring.use(octets)) {
      throw snapshot.wrong("a ring of " + octets + " octets");
    }
    asked &= allowed || !snapshot.reads();
    snapshot.end();
  }
}
