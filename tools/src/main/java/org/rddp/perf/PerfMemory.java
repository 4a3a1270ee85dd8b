package org.rddp.perf;

import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;

/**
 * The memory of one connection, used for all sizes in turn.
 *
 * @param local what this program sends, and where Reads and atomics put their answers
 * @param exposed what the server writes and reads, and where messages are received
 */
record PerfMemory(MemoryRegion local, MemoryRegion exposed) {
  /** Allocates both, {@code octets} each. */
  static PerfMemory allocate(Rddp session, long octets) {
    return new PerfMemory(
        session.allocate(octets, Access.LOCAL_WRITE),
        session.allocate(
            octets,
            Access.LOCAL_WRITE,
            Access.REMOTE_WRITE,
            Access.REMOTE_READ,
            Access.REMOTE_ATOMIC));
  }

  /** Clears the marks of an earlier connection, which would be taken for new ones. */
  void clear() {
    exposed.segment().fill((byte) 0);
  }
}
