/**
 * How one daemon takes the place of another: the socket between the two processes, what they say to
 * each other, and the memory that holds the snapshot (docs/handover.md). What the state is, {@link
 * org.rddp.daemon.replacement.Departing} and {@link org.rddp.daemon.replacement.Arriving} know.
 */
package org.rddp.daemon.replacement;
