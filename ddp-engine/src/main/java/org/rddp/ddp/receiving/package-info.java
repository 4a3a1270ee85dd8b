/** Checks DDP Segments, places their payload and delivers messages in order. */
package org.rddp.ddp.receiving;
