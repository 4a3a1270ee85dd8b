package org.rddp.daemon.control;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnsafeMemoryException;
import org.rddp.ipc.ring.RangeAllocator;

/**
 * The memory that the daemon shares with one program, by number: what it made, small pieces cut
 * from larger ones, and what the program brought. Control thread only.
 *
 * <p>Memory is unmapped only when no STag names it: an STag that is gone from the engine is named
 * by no request and no peer.
 */
final class ProgramMemory implements AutoCloseable {
  /** Size of a memory that small pieces are cut from: mappings and descriptors are scarce. */
  private static final long SLAB = 4L << 20;

  /** Pieces up to this size are cut from a slab. */
  private static final long SMALL = SLAB / 4;

  private static final long PAGE = 4096;

  /**
   * A piece that was allocated.
   *
   * @param memory number of the memory
   * @param offset where it begins
   * @param octets its size
   * @param descriptor the memory's, when the program does not have it yet; otherwise null
   */
  record Piece(int memory, long offset, long octets, Descriptor descriptor) {}

  private static final class Mapping {
    final SharedMemory shared;
    final RangeAllocator pieces;
    boolean used;
    int beingRegistered;

    Mapping(SharedMemory shared, RangeAllocator pieces) {
      this.shared = shared;
      this.pieces = pieces;
    }

    /** Whether a range is the program's: within one piece, or within memory that is not cut. */
    boolean contains(long offset, long octets) {
      return pieces == null
          ? offset >= 0
              && octets > 0
              && octets <= shared.length()
              && offset <= shared.length() - octets
          : pieces.isTaken(offset, octets);
    }
  }

  /** A range under an STag. */
  private record Registration(int memory, long offset, long octets) {
    boolean overlaps(int otherMemory, long otherOffset, long otherOctets) {
      return memory == otherMemory
          && offset < otherOffset + otherOctets
          && otherOffset < offset + octets;
    }
  }

  private final Quota octets;
  private final Quota memories;
  private final Map<Integer, Mapping> blocks = new HashMap<>();
  private final Map<Integer, Registration> registrations = new HashMap<>();
  private int nextNumber = 1;

  /**
   * No memory.
   *
   * @param octets of all memories, in whole pages
   * @param memories how many there are: a process may have only so many mappings
   */
  ProgramMemory(Quota octets, Quota memories) {
    this.octets = octets;
    this.memories = memories;
  }

  /** Zeroed memory. */
  Piece allocate(long size) throws RequestRefusedException {
    if (size <= 0) {
      throw new RequestRefusedException(
          Reason.INVALID, "memory of " + size + " octets: ask for 1 at least");
    }
    if (size > SMALL) {
      long rounded = wholePages(size);
      int number = add(create(rounded), null);
      return new Piece(number, 0, rounded, blocks.get(number).shared.descriptor());
    }
    for (Map.Entry<Integer, Mapping> entry : blocks.entrySet()) {
      if (entry.getValue().pieces != null) {
        Piece piece = cut(entry.getKey(), entry.getValue(), size, null);
        if (piece != null) {
          return piece;
        }
      }
    }
    int number = add(create(SLAB), new RangeAllocator(SLAB, PAGE));
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
      slab.shared.segment().asSlice(offset, size).fill((byte) 0);
    }
    return new Piece(number, offset, size, descriptor);
  }

  private SharedMemory create(long size) throws RequestRefusedException {
    take(size);
    try {
      return SharedMemory.create("rddp-region", size);
    } catch (SystemCallException e) {
      give(size);
      throw new RequestRefusedException(Reason.RESOURCES, "no memory: " + e.getMessage());
    }
  }

  private static long wholePages(long size) {
    return Math.max(size, size + PAGE - 1 & -PAGE);
  }

  /** Counts a memory. */
  private void take(long size) throws RequestRefusedException {
    memories.take(1);
    try {
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

  /** The program has the memory's descriptor: ours can go, the mapping stays. */
  void onDescriptorPassed(int memory) {
    Mapping block = blocks.get(memory);
    if (block != null) {
      block.shared.descriptor().close();
    }
  }

  /** Memory that the program brought; the descriptor is taken over. */
  int adopt(Descriptor descriptor) throws RequestRefusedException {
    SharedMemory shared;
    try {
      shared = SharedMemory.map(descriptor);
    } catch (UnsafeMemoryException e) {
      throw new RequestRefusedException(Reason.UNSAFE_MEMORY, e.getMessage());
    } catch (IOException e) {
      throw new RequestRefusedException(Reason.RESOURCES, e.getMessage());
    }
    try {
      take(wholePages(shared.length()));
    } catch (RequestRefusedException e) {
      shared.close();
      throw e;
    }
    int number = add(shared, null);
    shared.descriptor().close();
    return number;
  }

  private int add(SharedMemory shared, RangeAllocator pieces) {
    int number = nextNumber++;
    blocks.put(number, new Mapping(shared, pieces));
    return number;
  }

  /** Takes a piece, or memory that the program brought, back. */
  void free(int memory, long offset) throws RequestRefusedException {
    Mapping block = require(memory);
    long size = block.pieces == null ? block.shared.length() : block.pieces.length(offset);
    if (size == 0 || (block.pieces == null && offset != 0)) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "no memory begins there");
    }
    if (block.beingRegistered > 0) {
      throw new RequestRefusedException(Reason.STATE, "the memory is being registered");
    }
    // Each lies within one piece: when the last piece can go, no STag names the memory at all.
    for (Registration registration : registrations.values()) {
      if (registration.overlaps(memory, offset, size)) {
        throw new RequestRefusedException(
            Reason.STATE, "an STag names the memory: deregister it first");
      }
    }
    if (block.pieces != null) {
      block.pieces.free(offset);
      block.used = true;
    }
    // The program unmaps a memory with its last piece, as we do.
    if (block.pieces == null || block.pieces.isEmpty()) {
      blocks.remove(memory);
      release(block);
    }
  }

  /**
   * Where a range lies that is to be registered: within one piece of the program's, which stays for
   * as long as the range has an STag. It counts as registered from now on.
   *
   * @return its address
   */
  long resolve(int memory, long offset, long size) throws RequestRefusedException {
    Mapping block = require(memory);
    if (!block.contains(offset, size)) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "octets " + offset + " to " + (offset + size) + " are not within one piece of memory");
    }
    block.beingRegistered++;
    return block.shared.address() + offset;
  }

  /** The range that was resolved has an STag, or 0: it was refused one. */
  void registered(int stag, int memory, long offset, long size) {
    Mapping block = blocks.get(memory);
    block.beingRegistered--;
    if (stag != 0) {
      registrations.put(stag, new Registration(memory, offset, size));
    }
  }

  /** An STag is gone. */
  void deregistered(int stag) {
    registrations.remove(stag);
  }

  private Mapping require(int memory) throws RequestRefusedException {
    Mapping block = blocks.get(memory);
    if (block == null) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "no such memory in this session");
    }
    return block;
  }

  private void release(Mapping block) {
    block.shared.close();
    give(wholePages(block.shared.length()));
  }

  /** Unmaps everything: when the engine has ended the session. */
  @Override
  public void close() {
    blocks.values().forEach(this::release);
    blocks.clear();
    registrations.clear();
  }
}
