package org.rddp.simulation.rdma;

/**
 * A range of one end's memory.
 *
 * @param from in octets from the memory's beginning
 * @param length in octets
 */
record Piece(int from, int length) {}
