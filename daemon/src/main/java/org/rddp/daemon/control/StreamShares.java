package org.rddp.daemon.control;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.snapshot.Snapshot;

/**
 * What the octet streams of a program's session take: indices of their sections, connections,
 * memories and octets, of those that are kept for later streams as well. Control thread only, but
 * for {@link #reserve}.
 */
final class StreamShares {
  private static final long STREAM_OCTETS =
      StreamHeader.octets(StreamService.FIRST_RING, StreamService.FIRST_RING);

  /** All that is kept for later streams is at most this part of each limit. */
  private static final int PART = 64;

  private final ProgramSockets program;
  private final StreamService service;
  private final Resources process;
  private final Quota octets;
  private final Map<StreamSection, BitSet> indices = new HashMap<>();
  private final StreamReserve reserve = new StreamReserve();

  /**
   * Creates the shares of a session without streams.
   *
   * @param process what the process that has opened it may have
   * @param octets of the session's memory
   */
  StreamShares(ProgramSockets program, StreamService service, Resources process, Quota octets) {
    this.program = program;
    this.service = service;
    this.process = process;
    this.octets = octets;
  }

  /** Counts the streams of a section, too; before an engine knows it. */
  void add(StreamSection section) {
    indices.put(section, new BitSet());
    reserve.add(section);
  }

  /**
   * Takes what a stream needs.
   *
   * @param claim the local port that it has towards a peer; null for none
   * @throws RequestRefusedException if a limit is reached, or another stream has the port
   */
  StreamSlot take(StreamSection section, StreamSlot.Claim claim) throws RequestRefusedException {
    BitSet taken = indices.get(section);
    int index = taken.nextClearBit(0);
    if (index >= Doorbells.STREAMS || !section.owner().hasRoomForConnection()) {
      throw new RequestRefusedException(
          Reason.LIMIT,
          "on an engine a program has at most %d streams, and on this interface a user %d, a process %d"
              .formatted(
                  Doorbells.STREAMS,
                  section.owner().userConnections(),
                  section.owner().processConnections()));
    }
    if (claim != null && service.isClaimed(claim)) {
      throw new RequestRefusedException(
          Reason.ADDRESS_IN_USE,
          Errno.EADDRNOTAVAIL,
          "the program's local port %d is in use towards %s"
              .formatted(claim.localPort(), claim.remote().withPort(claim.remotePort())));
    }
    octets.take(STREAM_OCTETS);
    try {
      takeOfProcess();
    } catch (RequestRefusedException e) {
      octets.give(STREAM_OCTETS);
      throw e;
    }
    taken.set(index);
    section.owner().addConnection();
    return new StreamSlot(program, section, index, claim, STREAM_OCTETS);
  }

  private void takeOfProcess() throws RequestRefusedException {
    process.memories().take(1);
    try {
      process.heap().take("a stream", OctetStream.HEAP);
    } catch (RequestRefusedException e) {
      process.memories().give(1);
      throw e;
    }
  }

  /**
   * Counts a stream that another daemon has had.
   *
   * @param claim null for none
   * @param taken octets of its memory
   */
  StreamSlot inherit(
      Snapshot snapshot, StreamSection section, int index, StreamSlot.Claim claim, long taken) {
    BitSet used = indices.get(section);
    if (used.get(index)) {
      throw snapshot.wrong("two streams have the index " + index);
    }
    used.set(index);
    section.owner().addConnection();
    octets.add(taken);
    process.memories().add(1);
    try {
      process.heap().take("a stream", OctetStream.HEAP);
    } catch (RequestRefusedException e) {
      throw snapshot.wrong("no stream: " + e.getMessage());
    }
    return new StreamSlot(program, section, index, claim, taken);
  }

  /** Takes memory for a longer ring. Returns false if the program has not plenty of it left. */
  boolean extend(StreamSlot slot, long more) {
    boolean taken = octets.takeIfPlenty(more);
    if (taken) {
      slot.add(more);
    }
    return taken;
  }

  /** Gives back the memory of a longer ring, which could not be allocated. */
  void shorten(StreamSlot slot, long less) {
    octets.give(less);
    slot.add(-less);
  }

  /** Gives back what a stream has taken. */
  void free(StreamSlot slot) {
    indices.get(slot.section()).clear(slot.index());
    slot.section().owner().removeConnection();
    octets.give(slot.octets());
    process.memories().give(1);
    process.heap().give(OctetStream.HEAP);
  }

  /** What ended streams have left for later ones. */
  StreamReserve reserve() {
    return reserve;
  }

  /**
   * Whether an ended stream may leave what it has to a later one: as long as all that is kept for
   * programs of the user is a small part of each limit, since others may need it that do not empty
   * reserves.
   *
   * @param kept for all of them
   */
  boolean mayKeep(StreamSlot slot, int kept) {
    long most = (kept + 1L) * PART;
    SessionOwner owner = slot.section().owner();
    return reserve.count() < StreamReserve.MOST
        && slot.claim() == null
        && slot.octets() == STREAM_OCTETS
        && octets.allows((reserve.count() + 1L) * PART * STREAM_OCTETS)
        && process.memory().allows(most * STREAM_OCTETS)
        && process.memories().allows(most)
        && process.heap().limit() >= most * OctetStream.HEAP
        && owner.userConnections() >= most
        && owner.processConnections() >= most;
  }

  /** Streams of a section, and what is kept there for later ones. */
  int count(StreamSection section) {
    return indices.get(section).cardinality();
  }

  /** Streams of the session. */
  int count() {
    return indices.values().stream().mapToInt(BitSet::cardinality).sum() - reserve.count();
  }

  /** Octets of memory shared with the program, but for what is kept for its next streams. */
  long octets() {
    return octets.used() - reserve.count() * STREAM_OCTETS;
  }

  /** Whether nothing is taken. */
  boolean isEmpty() {
    return indices.values().stream().allMatch(BitSet::isEmpty);
  }
}
