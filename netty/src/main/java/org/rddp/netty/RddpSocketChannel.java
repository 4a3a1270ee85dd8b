package org.rddp.netty;

import io.netty.channel.socket.nio.NioSocketChannel;
import org.rddp.nio.RddpSelectorProvider;

/**
 * A connection over rddp, or over the kernel, as the rules say when it connects. Its event loop
 * comes from {@link RddpIoHandler}.
 */
public final class RddpSocketChannel extends NioSocketChannel {
  /** A channel of the daemon that the environment names. */
  public RddpSocketChannel() {
    super(RddpIoHandler.provider());
  }

  /** A channel of a provider. */
  public RddpSocketChannel(RddpSelectorProvider provider) {
    super(provider);
  }
}
