/**
 * The control server: accepts programs, checks their permissions and quotas, and manages the memory
 * shared with them. Runs on one thread, which handles no packets.
 */
package org.rddp.daemon.control;
