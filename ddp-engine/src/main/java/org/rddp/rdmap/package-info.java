/** The Remote Direct Memory Access Protocol (RFC 5040) above DDP: what programs ask for. */
package org.rddp.rdmap;
