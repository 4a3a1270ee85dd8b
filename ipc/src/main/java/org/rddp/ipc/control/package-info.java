/**
 * The control protocol: messages between a program and the daemon over a Unix-domain socket
 * (docs/ipc.md).
 */
package org.rddp.ipc.control;
