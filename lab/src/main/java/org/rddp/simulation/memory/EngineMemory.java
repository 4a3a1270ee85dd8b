package org.rddp.simulation.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.snapshot.Memories;

/**
 * The memory of programs at the addresses at which an engine has it. The next engine has it at
 * others; there is something else at the former ones then, so that whoever still uses them reads
 * zeros, and what it writes does not arrive.
 */
public final class EngineMemory {
  private final Slab slab;
  private SharedMemory now;

  /** At the addresses of the next engine; not the programs' memory. */
  private SharedMemory next;

  EngineMemory(Slab slab) {
    this.slab = slab;
    try {
      now = map();
      next = empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SharedMemory map() throws IOException {
    return SharedMemory.map(slab.memory().descriptor().duplicate());
  }

  private SharedMemory empty() throws IOException {
    return SharedMemory.create("empty", slab.memory().length());
  }

  /** The address for the engine of what a program has at an address. */
  public long address(long ofProgram) {
    return now.address() + slab.offset(ofProgram);
  }

  /** All that programs have taken. */
  public List<Memories.Range> ranges() {
    return slab.taken().stream()
        .map(piece -> new Memories.Range(now.address() + piece.offset(), piece.octets()))
        .toList();
  }

  /** Another engine goes on. */
  public void move() {
    try {
      SharedMemory moved = map();
      moved.replace(next);
      next = empty();
      next.replace(now);
      now = moved;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
