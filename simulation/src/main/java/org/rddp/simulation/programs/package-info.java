/**
 * Lives of whole engines: programs on two hosts that write and poll the rings of their sessions
 * over bad networks, under virtual time, against a model of all that they may see.
 */
package org.rddp.simulation.programs;
