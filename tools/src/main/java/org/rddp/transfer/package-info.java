/** File transfer into a remote program's memory, and the echo server. */
package org.rddp.transfer;
