package org.rddp.client;

import java.util.List;
import org.rddp.ipc.control.MemoryPiece;

/**
 * A part of a region, one of several that {@link Rddp#registerPieces} joins to one region.
 *
 * @param region of the same session
 * @param offset of the piece's first octet in the region
 * @param octets greater than 0
 */
public record RegionPiece(MemoryRegion region, long offset, long octets) {
  /** The most pieces of a region. */
  public static final int MOST = MemoryPiece.MOST;

  /** All of a region. */
  public static RegionPiece of(MemoryRegion region) {
    return new RegionPiece(region, 0, region.length());
  }

  /** Joins the memory of a session's pieces. */
  static RegionMemory.Joined join(Rddp session, List<RegionPiece> pieces) {
    if (pieces.isEmpty() || pieces.size() > MOST) {
      throw new IllegalArgumentException(
          "%d pieces: a region has 1 to %d".formatted(pieces.size(), MOST));
    }
    return new RegionMemory.Joined(
        pieces.stream()
            .map(piece -> piece.region.part(session, piece.offset, piece.octets))
            .toList());
  }
}
