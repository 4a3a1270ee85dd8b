package org.rddp.simulation.programs;

import org.rddp.simulation.memory.ModelStag;

/**
 * The part of a wrong write that may be placed, because its STag allows it.
 *
 * @param tag an STag of the peer
 * @param at offset in the peer's memory
 * @param octets how many
 * @param skipped octets of the write before these, which may not be placed
 */
record PlaceablePart(ModelStag tag, int at, int octets, int skipped) {
  /** The first octets of a write, or all of them. */
  static PlaceablePart of(ModelStag tag, int at, int octets) {
    return new PlaceablePart(tag, at, octets, 0);
  }
}
