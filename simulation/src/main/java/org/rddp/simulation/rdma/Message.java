package org.rddp.simulation.rdma;

import org.rddp.simulation.memory.ModelStag;

/**
 * A message that uses up one of the peer's receives.
 *
 * @param number of the request that it was posted with
 * @param array what its octets are in
 * @param first the first of them
 * @param length how many
 * @param immediate whether it is immediate data
 * @param solicited whether the peer is to be woken
 * @param invalidates the peer's STag that it invalidates, or null
 */
@SuppressWarnings("ArrayRecordComponent")
record Message(
    long number,
    byte[] array,
    int first,
    int length,
    boolean immediate,
    boolean solicited,
    ModelStag invalidates) {}
