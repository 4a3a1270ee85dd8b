/**
 * Simulated networks: hosts, cards, wires, routers and middleboxes in one thread, in virtual time
 * and from one seed.
 */
package org.rddp.simulation;
