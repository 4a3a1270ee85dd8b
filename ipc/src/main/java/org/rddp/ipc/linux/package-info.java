/**
 * Linux system calls through the Foreign Function and Memory API: descriptors, sockets, shared
 * memory, wake-ups.
 */
package org.rddp.ipc.linux;
