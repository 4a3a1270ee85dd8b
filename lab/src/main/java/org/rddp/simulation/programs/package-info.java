/**
 * Simulations of whole engines: programs on two hosts write and poll the rings of their sessions,
 * over bad networks and in virtual time. A model of both memories says what each octet may be, and
 * what each request must end with.
 */
package org.rddp.simulation.programs;
