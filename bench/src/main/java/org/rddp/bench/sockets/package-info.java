/** Unmodified programs with TCP sockets over rddp, beside the kernel's TCP. */
package org.rddp.bench.sockets;
