/**
 * What a program and the daemon share: sealed memory, rings, counters and the control protocol. No
 * end trusts what the other can write.
 */
package org.rddp.ipc;
