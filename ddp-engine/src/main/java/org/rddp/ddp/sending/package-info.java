/** Cuts messages into DDP Segments and decides which stream sends next. */
package org.rddp.ddp.sending;
