/**
 * {@code bin/rddp bench rtt}: round trips of a message to another program, by rddp and its peers.
 *
 * <p>Each {@code ...Rig} class opens one contender; those that measure one round trip after the
 * other extend {@link org.rddp.bench.rtt.TimedRig}.
 */
package org.rddp.bench.rtt;
