/** What limits how much a connection has in flight, besides the peer's window. */
package org.rddp.tcp.congestion;
