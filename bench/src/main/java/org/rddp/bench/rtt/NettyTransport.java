package org.rddp.bench.rtt;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategy;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.util.function.Supplier;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.netty.RddpIoHandler;
import org.rddp.netty.RddpServerSocketChannel;
import org.rddp.netty.RddpSocketChannel;
import org.rddp.nio.RddpSelectorProvider;

/** Netty's event loops and channels. */
record NettyTransport(
    IoHandlerFactory loops, Supplier<ServerChannel> listener, Supplier<Channel> channel) {
  /** Events that epoll's handler takes at a time; 0: as many as come. */
  private static final int ANY = 0;

  /**
   * One of those over the kernel's TCP: {@code epoll}, {@code busy-epoll}, {@code io_uring}, {@code
   * nio}.
   */
  static NettyTransport kernels(String name) throws CannotRunException {
    return switch (name) {
      case "epoll" -> epoll(EpollIoHandler.newFactory());
      case "busy-epoll" ->
          epoll(
              EpollIoHandler.newFactory(
                  ANY,
                  () -> (ready, hasTasks) -> hasTasks ? ready.get() : SelectStrategy.BUSY_WAIT));
      case "io_uring" -> ioUring();
      case "nio" ->
          new NettyTransport(
              NioIoHandler.newFactory(), NioServerSocketChannel::new, NioSocketChannel::new);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static NettyTransport epoll(IoHandlerFactory loops) throws CannotRunException {
    if (!Epoll.isAvailable()) {
      throw new CannotRunException("needs epoll: " + Epoll.unavailabilityCause().getMessage());
    }
    return new NettyTransport(loops, EpollServerSocketChannel::new, EpollSocketChannel::new);
  }

  private static NettyTransport ioUring() throws CannotRunException {
    if (!IoUring.isAvailable()) {
      throw new CannotRunException("needs io_uring: " + IoUring.unavailabilityCause().getMessage());
    }
    return new NettyTransport(
        IoUringIoHandler.newFactory(), IoUringServerSocketChannel::new, IoUringSocketChannel::new);
  }

  /** That of rddp. */
  static NettyTransport rddp(RddpSelectorProvider provider) {
    return new NettyTransport(
        RddpIoHandler.newFactory(provider),
        () -> new RddpServerSocketChannel(provider),
        () -> new RddpSocketChannel(provider));
  }
}
