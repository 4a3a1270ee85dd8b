package org.rddp.simulation.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.rddp.ipc.linux.SharedMemory;

/** Shared memory that the programs of every run reuse; engines map it at addresses of their own. */
public final class Slab {
  /** Pages that no run uses take nothing. */
  private static final long OCTETS = 64 << 20;

  private static final int LINE = 64;

  /**
   * What has been taken.
   *
   * @param offset of the first octet
   * @param octets their number
   */
  record Piece(long offset, int octets) {}

  private final SharedMemory memory;
  private long used;
  private final List<Piece> taken = new ArrayList<>();
  private final List<EngineMemory> mappings = new ArrayList<>();
  private int mappingsUsed;

  /** Creates memory of which nothing has been taken. */
  public Slab() {
    try {
      memory = SharedMemory.create("slab", OCTETS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes memory for this run; returns its address for programs. */
  public long take(int length) {
    Piece next = new Piece(used, length);
    used += ((long) length + LINE - 1) & -LINE;
    if (used > OCTETS) {
      throw new IllegalStateException("the programs of a run have no memory left");
    }
    taken.add(next);
    return memory.address() + next.offset;
  }

  /** All that has been taken, in order. */
  List<Piece> taken() {
    return taken;
  }

  /** The offset of an address for programs. */
  long offset(long address) {
    return address - memory.address();
  }

  SharedMemory memory() {
    return memory;
  }

  /** The memory as an engine of this run has it. */
  public EngineMemory map() {
    if (mappingsUsed == mappings.size()) {
      mappings.add(new EngineMemory(this));
    }
    return mappings.get(mappingsUsed++);
  }

  /** Frees everything: another run begins. */
  public void clear() {
    used = 0;
    taken.clear();
    mappingsUsed = 0;
  }
}
