/** Decisions before a connection exists: SYN cookies and limits per peer (RFC 4987). */
package org.rddp.tcp.handshake;
