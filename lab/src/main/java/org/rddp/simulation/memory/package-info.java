/**
 * A model of memory that peers place octets in: which octets must be there, which may be, and which
 * must not change.
 */
package org.rddp.simulation.memory;
