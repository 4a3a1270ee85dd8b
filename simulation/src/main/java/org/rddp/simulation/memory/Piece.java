package org.rddp.simulation.memory;

/**
 * A range of one end's memory.
 *
 * @param from in octets from the memory's beginning
 * @param length in octets
 */
public record Piece(int from, int length) {}
