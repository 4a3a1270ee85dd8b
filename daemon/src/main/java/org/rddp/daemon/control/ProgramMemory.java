package org.rddp.daemon.control;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.RangeAllocator;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;

/**
 * The memory shared with one program, by number: allocated by the daemon, which cuts small pieces
 * from a larger memory, or adopted from the program. Control thread only.
 *
 * <p>Memory is registered only when it is ready, and unmapped only when no STag refers to it: after
 * the engine has removed an STag, no request and no peer uses it.
 */
final class ProgramMemory {
  /**
   * Size of a memory from which small pieces are cut, since mappings and descriptors are limited.
   */
  private static final long SLAB = 4L << 20;

  /** Pieces below this size are cut from a slab. */
  private static final long SMALL = SLAB / 4;

  private static final long PAGE = 4096;

  /** Most slabs tried for a piece, to bound the time of a request. */
  private static final int TRIED = 16;

  /** Most memories not shared yet, each with an open descriptor. */
  private static final int MAX_UNSHARED = 8;

  /**
   * An allocated piece.
   *
   * @param memory number of the memory
   * @param offset offset in the memory
   * @param octets size
   * @param descriptor the memory's descriptor if the program does not have it yet, otherwise null
   */
  record Piece(int memory, long offset, long octets, Descriptor descriptor) {}

  private static final class Mapping {
    final ProgramMapping shared;
    final RangeAllocator pieces;

    /** Whether the program has brought it. */
    final boolean adopted;

    boolean used;

    Mapping(ProgramMapping shared, RangeAllocator pieces, boolean adopted) {
      this.shared = shared;
      this.pieces = pieces;
      this.adopted = adopted;
    }

    /**
     * Whether a range lies within one allocated piece, or within memory that is not cut into
     * pieces.
     */
    boolean contains(long offset, long octets) {
      return pieces == null
          ? offset >= 0
              && octets > 0
              && octets <= shared.length()
              && offset <= shared.length() - octets
          : pieces.isTaken(offset, octets);
    }
  }

  /** A range that has an STag or is about to get one. */
  private record Registration(int memory, long offset, long octets) {
    boolean overlaps(int otherMemory, long otherOffset, long otherOctets) {
      return memory == otherMemory
          && offset < otherOffset + otherOctets
          && otherOffset < offset + octets;
    }
  }

  private final Quota octets;
  private final Quota memories;
  private final MappingThreads threads;
  private final Map<Integer, Mapping> blocks = new HashMap<>();

  /** Slabs that are ready and may have room. */
  private final RoomySlabs roomy = new RoomySlabs(SMALL / PAGE);

  private final Map<Integer, Registration> registrations = new HashMap<>();

  /** Ranges for which the engine is making an STag, and ranges of regions of several pieces. */
  private final List<Registration> beingRegistered = new ArrayList<>();

  /** Shared memories that wait until the one before is populated. */
  private final ArrayDeque<Runnable> toPopulate = new ArrayDeque<>();

  private boolean populating;
  private int nextNumber = 1;

  /**
   * Creates an empty set of memories.
   *
   * @param octets quota for the octets of all memories, in whole pages
   * @param memories quota for the number of memories, since the kernel limits a process's mappings
   */
  ProgramMemory(Quota octets, Quota memories, MappingThreads threads) {
    this.octets = octets;
    this.memories = memories;
    this.threads = threads;
  }

  /** Allocates zeroed memory. */
  Piece allocate(long size) throws RequestRefusedException {
    if (size <= 0) {
      throw new RequestRefusedException(
          Reason.INVALID, "memory of " + size + " octets: the least is 1");
    }
    if (size >= SMALL) {
      long rounded = wholePages(size);
      int number = add(create(rounded), null, false);
      return new Piece(number, 0, rounded, blocks.get(number).shared.descriptor());
    }
    long pages = wholePages(size) / PAGE;
    for (int i = 0, next = roomy.first(pages); i < TRIED && next != 0; i++) {
      Piece piece = cut(next, blocks.get(next), size, null);
      if (piece != null) {
        return piece;
      }
      roomy.full(next, pages);
      next = roomy.first(pages);
    }
    int number = add(create(SLAB), new RangeAllocator(SLAB, PAGE), false);
    Mapping slab = blocks.get(number);
    return cut(number, slab, size, slab.shared.descriptor());
  }

  private static Piece cut(int number, Mapping slab, long wanted, Descriptor descriptor) {
    long offset = slab.pieces.allocate(wanted);
    if (offset < 0) {
      return null;
    }
    long size = slab.pieces.length(offset);
    if (slab.used) {
      slab.shared.clear(offset, size);
    }
    return new Piece(number, offset, size, descriptor);
  }

  private SharedMemory create(long size) throws RequestRefusedException {
    checkUnshared();
    take(size);
    try {
      return SharedMemory.createImmutable("rddp-region", size);
    } catch (SystemCallException e) {
      give(size);
      throw new RequestRefusedException(Reason.RESOURCES, "no memory: " + e.getMessage());
    }
  }

  private static long wholePages(long size) {
    return Math.max(size, size + PAGE - 1 & -PAGE);
  }

  private void checkUnshared() throws RequestRefusedException {
    if (blocks.values().stream().filter(block -> block.shared.isMapped()).count() >= MAX_UNSHARED) {
      throw new RequestRefusedException(
          Reason.STATE, MAX_UNSHARED + " memories are not shared yet: share or free one first");
    }
  }

  /** Takes a memory from the quotas. */
  private void take(long size) throws RequestRefusedException {
    memories.take(1);
    try {
      // DDP-8.3.2-02, RDMAP-8.1.2-02: "requests for scarce resources MUST also be done using a
      // Privileged Resource Manager"
      octets.take(size);
    } catch (RequestRefusedException e) {
      memories.give(1);
      throw e;
    }
  }

  private void give(long size) {
    memories.give(1);
    octets.give(size);
  }

  /**
   * Makes a memory ready for registration, see {@link ProgramMapping#share}. One memory is
   * populated at a time, so that a program with many does not delay others more than a program with
   * one.
   *
   * @param outcome called when it is ready, with null, or has failed
   */
  void share(int memory, Consumer<RequestRefusedException> outcome) throws RequestRefusedException {
    require(memory)
        .shared
        .share(
            this::populateInTurn,
            refusal -> {
              populating = false;
              if (!toPopulate.isEmpty()) {
                populateInTurn(toPopulate.remove());
              }
              // A piece of a slab that is not ready cannot be zeroed without a fault.
              if (refusal == null && blocks.get(memory).pieces != null) {
                roomy.add(memory);
              }
              outcome.accept(refusal);
            });
  }

  private void populateInTurn(Runnable start) {
    if (populating) {
      toPopulate.add(start);
    } else {
      populating = true;
      start.run();
    }
  }

  /**
   * Adopts mapped memory of the program; the caller still owns it if that is refused.
   *
   * @return its number
   */
  int adopt(SharedMemory shared) throws RequestRefusedException {
    checkUnshared();
    take(wholePages(shared.length()));
    return add(shared, null, true);
  }

  private int add(SharedMemory shared, RangeAllocator pieces, boolean adopted) {
    int number = nextNumber++;
    blocks.put(number, new Mapping(new ProgramMapping(shared, threads), pieces, adopted));
    return number;
  }

  /**
   * Frees a piece, or memory of the program.
   *
   * @param done called when it is freed
   */
  void free(int memory, long offset, Runnable done) throws RequestRefusedException {
    Mapping block = require(memory);
    long size = block.pieces == null ? block.shared.length() : block.pieces.length(offset);
    if (size == 0 || (block.pieces == null && offset != 0)) {
      throw new RequestRefusedException(
          Reason.NOT_FOUND, "no allocated memory begins at this offset");
    }
    if (block.shared.isPopulating()) {
      throw new RequestRefusedException(Reason.STATE, "the memory is being shared");
    }
    for (Registration registration : beingRegistered) {
      if (registration.overlaps(memory, offset, size)) {
        throw new RequestRefusedException(
            Reason.STATE,
            "a region is being registered on the memory, or refers to it among others");
      }
    }
    // Each registration lies within one piece. So when the last piece is freed, no STag refers to
    // the memory.
    for (Registration registration : registrations.values()) {
      if (registration.overlaps(memory, offset, size)) {
        throw new RequestRefusedException(
            Reason.STATE, "an STag refers to the memory: deregister it first");
      }
    }
    if (block.pieces != null) {
      block.pieces.free(offset);
      block.used = true;
    }
    // Both ends unmap a memory when its last piece is freed.
    if (block.pieces == null || block.pieces.isEmpty()) {
      blocks.remove(memory);
      roomy.remove(memory);
      release(block, done);
    } else {
      if (block.shared.isReady()) {
        roomy.add(memory);
      }
      done.run();
    }
  }

  /**
   * Finds the address of a range to register. The range must lie within one piece, which cannot be
   * freed from now on.
   *
   * @return address of the range
   */
  long resolve(int memory, long offset, long size) throws RequestRefusedException {
    Mapping block = require(memory);
    // DDP-8.3-04; DDP-8.3.2-04, RDMAP-8.1.2-04: "verify that the Non-Privileged ULP has the right
    // to access a specific Data Buffer"
    if (!block.contains(offset, size)) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "octets " + offset + " to " + (offset + size) + " are not within one piece of memory");
    }
    if (!block.shared.isReady()) {
      throw new RequestRefusedException(
          Reason.STATE, "the memory is not shared yet: send ShareMemory and wait for its reply");
    }
    beingRegistered.add(new Registration(memory, offset, size));
    return block.shared.address() + offset;
  }

  /** Records the STag of a resolved range; 0 if registration failed. */
  void registered(int stag, int memory, long offset, long size) {
    Registration registration = new Registration(memory, offset, size);
    beingRegistered.remove(registration);
    if (stag != 0) {
      registrations.put(stag, registration);
    }
  }

  /** Removes the registration of an STag. */
  void deregistered(int stag) {
    registrations.remove(stag);
  }

  private Mapping require(int memory) throws RequestRefusedException {
    Mapping block = blocks.get(memory);
    if (block == null) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "the session has no such memory");
    }
    return block;
  }

  private void release(Mapping block, Runnable done) {
    long size = wholePages(block.shared.length());
    block.shared.release(() -> {
      give(size);
      done.run();
    });
  }

  // ---- Another daemon goes on with it ----

  /** Whether another daemon can map all of it. */
  boolean canGoOver() {
    return blocks.values().stream().allMatch(each -> each.shared.canGoOver());
  }

  /** Memories of the daemon's that are ready and have no small pieces. */
  Stream<ProgramMapping> large() {
    return blocks.values().stream()
        .filter(each -> !each.adopted && each.pieces == null && each.shared.isReady())
        .map(each -> each.shared);
  }

  /** The memories, in the order of their numbers. */
  List<Memories.Range> ranges() {
    return sorted(blocks).stream()
        .map(number -> blocks.get(number).shared)
        .map(each -> new Memories.Range(each.address(), each.length()))
        .toList();
  }

  private static List<Integer> sorted(Map<Integer, ?> map) {
    return map.keySet().stream().sorted().toList();
  }

  /**
   * Transfers the memories, and what is registered; when read, there are none before. While no
   * request of the program is in work.
   *
   * @param files maps what the program has brought
   */
  void transfer(Snapshot snapshot, HandedDescriptors descriptors, AdoptedFiles files) {
    snapshot.begin(ProgramMemory.class);
    nextNumber = snapshot.number("nextNumber", nextNumber);
    Iterator<Integer> written = sorted(blocks).iterator();
    while (snapshot.flag("blocks", written.hasNext())) {
      int number = snapshot.number("number", snapshot.reads() ? 0 : written.next());
      Mapping block = transfer(snapshot, descriptors, files, blocks.get(number));
      if (snapshot.reads() && blocks.put(number, block) != null) {
        throw snapshot.wrong("a memory is there twice");
      }
    }
    Iterator<Integer> stags = sorted(registrations).iterator();
    while (snapshot.flag("registrations", stags.hasNext())) {
      int stag = snapshot.number("stag", snapshot.reads() ? 0 : stags.next());
      registrations.put(stag, transfer(snapshot, registrations.get(stag)));
    }
    snapshot.end();
    if (snapshot.reads()) {
      blocks.forEach((number, block) -> {
        if (block.pieces != null && block.shared.isReady()) {
          roomy.add(number);
        }
      });
    }
  }

  private static Registration transfer(Snapshot snapshot, Registration written) {
    snapshot.begin(Registration.class);
    int memory = snapshot.number("memory", written == null ? 0 : written.memory);
    long offset = snapshot.number("offset", written == null ? 0 : written.offset);
    long size = snapshot.number("octets", written == null ? 0 : written.octets);
    snapshot.end();
    return new Registration(memory, offset, size);
  }

  private Mapping transfer(
      Snapshot snapshot, HandedDescriptors descriptors, AdoptedFiles files, Mapping written) {
    snapshot.begin(Mapping.class);
    boolean reads = snapshot.reads();
    boolean adopted = snapshot.flag("adopted", !reads && written.adopted);
    Descriptor memfd = descriptors.transfer(reads ? null : written.shared.descriptor());
    boolean cut = snapshot.flag("cut", !reads && written.pieces != null);
    Mapping block = written;
    if (reads) {
      ProgramMapping mapping =
          adopted
              ? new ProgramMapping(adopt(snapshot, files, memfd), threads)
              : ProgramMapping.handedOver(memfd, descriptors, threads);
      memories.add(1);
      octets.add(wholePages(mapping.length()));
      RangeAllocator pieces = cut ? new RangeAllocator(SLAB, PAGE) : null;
      block = new Mapping(mapping, pieces, adopted);
    }
    block.used = snapshot.flag("used", block.used);
    block.shared.transfer(snapshot);
    if (cut) {
      transferPieces(snapshot, block.pieces);
    }
    snapshot.end();
    return block;
  }

  private static SharedMemory adopt(Snapshot snapshot, AdoptedFiles files, Descriptor memfd) {
    try {
      return files.map(memfd);
    } catch (RequestRefusedException e) {
      throw snapshot.wrong("what a program has brought cannot be mapped: " + e.getMessage());
    }
  }

  private static void transferPieces(Snapshot snapshot, RangeAllocator pieces) {
    Iterator<Map.Entry<Long, Long>> written =
        snapshot.reads() ? Collections.emptyIterator() : pieces.ranges().entrySet().iterator();
    while (snapshot.flag("pieces", written.hasNext())) {
      Map.Entry<Long, Long> piece = snapshot.reads() ? null : written.next();
      long offset = snapshot.number("offset", piece == null ? 0 : piece.getKey());
      long size = snapshot.number("octets", piece == null ? 0 : piece.getValue());
      if (snapshot.reads() && !pieces.take(offset, size)) {
        throw snapshot.wrong("pieces of a memory overlap");
      }
    }
  }

  /**
   * Unmaps all memory. Call it after the engine has ended the session.
   *
   * @param done called when all memory is unmapped
   */
  void close(Runnable done) {
    List<Mapping> last = List.copyOf(blocks.values());
    blocks.clear();
    registrations.clear();
    int[] left = {last.size()};
    if (last.isEmpty()) {
      done.run();
    }
    for (Mapping block : last) {
      release(
          block,
          () -> {
            left[0]--;
            if (left[0] == 0) {
              done.run();
            }
          });
    }
    // Waiting memories are no longer populated; otherwise they would wait for each other.
    while (!toPopulate.isEmpty()) {
      toPopulate.remove().run();
    }
  }
}
