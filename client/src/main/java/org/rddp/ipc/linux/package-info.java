/** Linux system calls by the Foreign Function and Memory API: sockets, memfd, eventfd, signals. */
package org.rddp.ipc.linux;
