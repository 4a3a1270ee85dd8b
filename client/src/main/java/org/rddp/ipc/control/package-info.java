/** Messages between a program and the daemon over the control socket (docs/ipc.md). */
package org.rddp.ipc.control;
