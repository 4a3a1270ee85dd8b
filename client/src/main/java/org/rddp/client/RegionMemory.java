package org.rddp.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.rddp.ipc.control.MemoryPiece;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.RegionSettings;

/** The memory of a region; makes the request that registers it. */
sealed interface RegionMemory {
  /** Octets of the region. */
  long octets();

  /** Whether any of it is the program's own; then no other daemon can map it. */
  boolean isPrograms();

  /** Makes the request that registers it with the current daemon. */
  ProgramMessage register(int request, RegionSettings settings);

  /**
   * A range of allocated memory.
   *
   * @param offset of the first octet in the piece
   */
  record Range(SessionMemory.Piece piece, long offset, long octets) implements RegionMemory {
    @Override
    public boolean isPrograms() {
      return piece.isPrograms();
    }

    @Override
    public ProgramMessage register(int request, RegionSettings settings) {
      MemoryPiece range = range();
      return new ProgramMessage.Register(
          request, range.memory(), range.offset(), range.octets(), settings);
    }

    MemoryPiece range() {
      return piece.range(offset, octets);
    }

    Range part(long from, long length) {
      return new Range(piece, offset + from, length);
    }

    MemorySegment segment(Arena arena) {
      return piece.segment(offset, octets, arena);
    }
  }

  /** Ranges that the daemon maps side by side; in the program they stay where they are. */
  record Joined(List<Range> ranges) implements RegionMemory {
    @Override
    public long octets() {
      return ranges.stream().mapToLong(Range::octets).sum();
    }

    @Override
    public boolean isPrograms() {
      return ranges.stream().anyMatch(Range::isPrograms);
    }

    @Override
    public ProgramMessage register(int request, RegionSettings settings) {
      return new ProgramMessage.RegisterPieces(
          request, settings, ranges.stream().map(Range::range).toList());
    }
  }
}
