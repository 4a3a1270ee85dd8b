/**
 * Simulations of TCP: connections between two hosts on a bad network, drawn from a seed, and the
 * rules that must hold.
 */
package org.rddp.simulation.tcp;
