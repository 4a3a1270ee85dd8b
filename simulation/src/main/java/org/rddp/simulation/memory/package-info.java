/**
 * Models of memory that peers place octets in: what has to be there, what may be, and what must not
 * change.
 */
package org.rddp.simulation.memory;
