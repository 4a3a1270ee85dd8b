/**
 * A transport of Netty 4.2 over rddp. An event loop is given {@link
 * org.rddp.netty.RddpIoHandler#newFactory()}, and a bootstrap {@link
 * org.rddp.netty.RddpServerSocketChannel} or {@link org.rddp.netty.RddpSocketChannel}; all else is
 * as with Netty's transport of java.nio.
 */
package org.rddp.netty;
