/** The format of a DDP Segment and the numbers of DDP's errors (RFC 5041 sections 4 and 7). */
package org.rddp.ddp.segment;
