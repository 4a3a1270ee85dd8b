package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Slabs that may have room for a piece, by the piece's size rounded up to a power of two. A slab
 * without room for a piece is skipped for pieces of that size until a piece of it is freed; so a
 * request does not search all slabs of a program again and again. Control thread only.
 */
final class RoomySlabs {
  private final List<Set<Integer>> bySize = new ArrayList<>();

  /**
   * Creates an empty set.
   *
   * @param largest pages of the largest piece
   */
  RoomySlabs(long largest) {
    for (int i = 0; i <= index(largest); i++) {
      bySize.add(new LinkedHashSet<>());
    }
  }

  private static int index(long pages) {
    return Long.SIZE - Long.numberOfLeadingZeros(pages - 1);
  }

  /** Adds a slab that is new, or of which a piece was freed. */
  void add(int slab) {
    bySize.forEach(slabs -> slabs.add(slab));
  }

  /** Removes a slab. */
  void remove(int slab) {
    bySize.forEach(slabs -> slabs.remove(slab));
  }

  /** The first slab that may have room for a piece; 0 if there is none. */
  int first(long pages) {
    Set<Integer> slabs = bySize.get(index(pages));
    return slabs.isEmpty() ? 0 : slabs.iterator().next();
  }

  /** Notes that a slab has no room for a piece of that many pages. */
  void full(int slab, long pages) {
    bySize.get(index(pages)).remove(slab);
  }
}
