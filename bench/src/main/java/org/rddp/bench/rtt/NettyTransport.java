package org.rddp.bench.rtt;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.function.Supplier;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.netty.RddpIoHandler;
import org.rddp.netty.RddpServerSocketChannel;
import org.rddp.netty.RddpSocketChannel;
import org.rddp.nio.RddpSelectorProvider;

/** Netty's event loops and channels. */
record NettyTransport(
    IoHandlerFactory loops, Supplier<ServerChannel> listener, Supplier<Channel> channel) {
  /** Netty's epoll transport, over the kernel's TCP. */
  static NettyTransport epoll() throws CannotRunException {
    if (!Epoll.isAvailable()) {
      throw new CannotRunException(
          "Netty has no epoll here: " + Epoll.unavailabilityCause().getMessage());
    }
    return new NettyTransport(
        EpollIoHandler.newFactory(), EpollServerSocketChannel::new, EpollSocketChannel::new);
  }

  /** That of rddp. */
  static NettyTransport rddp(RddpSelectorProvider provider) {
    return new NettyTransport(
        RddpIoHandler.newFactory(provider),
        () -> new RddpServerSocketChannel(provider),
        () -> new RddpSocketChannel(provider));
  }
}
