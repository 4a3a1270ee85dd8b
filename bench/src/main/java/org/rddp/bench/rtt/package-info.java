/**
 * {@code bin/rddp bench rtt}: what it takes a message to go to another program and back, by rddp
 * and by what programs have without it.
 *
 * <p>A {@link org.rddp.bench.rtt.RoundTripMethod} is one way to do a round trip, {@link
 * org.rddp.bench.rtt.RoundTripTimer} takes its time, closed-loop or at a fixed rate, and the {@code
 * ...Rig} classes make everything around it.
 */
package org.rddp.bench.rtt;
