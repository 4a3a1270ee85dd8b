/**
 * Lives of MPA: connections between two hosts over a bad network, everything about them drawn from
 * a seed, and what must hold whatever happens.
 */
package org.rddp.simulation.mpa;
