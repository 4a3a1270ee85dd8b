/**
 * The control server: accepts programs, checks their permissions and quotas, and manages the memory
 * shared with them. Runs on one thread, which handles no packets. {@code Program*} is what this
 * thread does for a program; {@code Session*} of {@link org.rddp.daemon.engine} is what its engine
 * does.
 */
package org.rddp.daemon.control;
