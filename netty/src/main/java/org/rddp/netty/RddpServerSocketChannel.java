package org.rddp.netty;

import io.netty.channel.socket.nio.NioServerSocketChannel;
import org.rddp.nio.RddpSelectorProvider;

/**
 * A listener at rddp's addresses, at the kernel's, or for the wildcard address at both. Its event
 * loops come from {@link RddpIoHandler}.
 */
public final class RddpServerSocketChannel extends NioServerSocketChannel {
  /** A listener at the daemon that the environment names. */
  public RddpServerSocketChannel() {
    super(RddpIoHandler.provider());
  }

  /** A listener of a provider. */
  public RddpServerSocketChannel(RddpSelectorProvider provider) {
    super(provider);
  }
}
