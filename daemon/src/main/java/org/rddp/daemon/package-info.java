/**
 * {@code rddpd}: the engine's duty cycle, the sessions of programs, and what starts and stops them.
 */
package org.rddp.daemon;
