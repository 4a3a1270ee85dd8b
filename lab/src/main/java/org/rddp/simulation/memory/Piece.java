package org.rddp.simulation.memory;

/**
 * A range of one end's memory.
 *
 * @param from offset in the memory, in octets
 * @param length in octets
 */
public record Piece(int from, int length) {}
