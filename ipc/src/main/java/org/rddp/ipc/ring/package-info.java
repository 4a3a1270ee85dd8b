/**
 * Layouts of memory that a program and the daemon share: rings, counters and captures
 * (docs/ipc.md).
 */
package org.rddp.ipc.ring;
