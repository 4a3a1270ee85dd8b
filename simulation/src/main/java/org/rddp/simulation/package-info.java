/**
 * Networks that exist only in memory: hosts, cards, wires and what stands between them, all in one
 * thread under virtual time and from one seed.
 */
package org.rddp.simulation;
