package org.rddp.daemon.engine;

import org.rddp.ipc.ring.Doorbells;

/**
 * What engines tell a program's thread by that waits for many octet streams. Any engine's thread.
 *
 * @param bells in memory that is safe to use
 * @param signal wakes the thread; allocates nothing
 */
public record StreamWaiter(Doorbells bells, Runnable signal) {}
