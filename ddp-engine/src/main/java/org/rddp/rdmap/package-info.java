/** The Remote Direct Memory Access Protocol (RFC 5040) over DDP. */
package org.rddp.rdmap;
