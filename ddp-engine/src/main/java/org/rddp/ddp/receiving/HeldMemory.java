package org.rddp.ddp.receiving;

import java.lang.foreign.MemorySegment;

/**
 * The memory for the held segments of all streams of an engine, in blocks of {@link #BLOCK} octets.
 * Blocks that were never taken are not touched, so their pages need not exist. Engine thread only.
 */
public final class HeldMemory {
  /** Octets of a block. */
  static final int BLOCK = 4096;

  /** Stands for no block. */
  static final int NONE = -1;

  private final MemorySegment memory;

  /** For each block, the next one in its chain or in the free list. */
  private final int[] next;

  /** The blocks from this one on were never taken. */
  private int unused;

  private int free = NONE;
  private int freeBlocks;

  /**
   * Divides memory into blocks.
   *
   * @param memory must live as long as this object; less than 2^31 blocks
   */
  public HeldMemory(MemorySegment memory) {
    this.memory = memory;
    next = new int[(int) (memory.byteSize() / BLOCK)];
    freeBlocks = next.length;
  }

  /** How many blocks may be taken. */
  int freeBlocks() {
    return freeBlocks;
  }

  /** Takes a free block as the last of a chain; there must be one. */
  int take() {
    freeBlocks--;
    int block = free;
    if (block == NONE) {
      block = unused++;
    } else {
      free = next[block];
    }
    next[block] = NONE;
    return block;
  }

  /** Returns a chain, or the first blocks of one. */
  void give(int first, int last, int blocks) {
    next[last] = free;
    free = first;
    freeBlocks += blocks;
  }

  /** Appends a block to the last one of a chain. */
  void link(int last, int block) {
    next[last] = block;
  }

  /** The block after another in their chain, or {@link #NONE}. */
  int next(int block) {
    return next[block];
  }

  /** Address of the first octet of a block. */
  long address(int block) {
    return memory.address() + (long) block * BLOCK;
  }
}
