package org.rddp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.daemon.DaemonProcess;
import org.rddp.daemon.TestDaemon;
import org.rddp.nio.RddpSelectorProvider;

/** A daemon is killed while Netty's channels are busy, and another one comes. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // Failures show as channels that do not close.
class DaemonLossTest {
  private static final int CLIENTS = 8;
  private static final int OCTETS = 10_000;

  /** Sends back what comes, at both ends; tells of a channel's first octets. */
  @ChannelHandler.Sharable
  private static final class Echo extends ChannelInboundHandlerAdapter {
    final BlockingQueue<Channel> busy = new LinkedBlockingQueue<>();

    @Override
    public void channelRead(ChannelHandlerContext context, Object octets) {
      if (!busy.contains(context.channel())) {
        busy.add(context.channel());
      }
      context.writeAndFlush(octets, context.voidPromise());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  @Test
  void shouldCloseChannelsAndGoOnListening(@TempDir Path folder) throws Exception {
    RddpSelectorProvider provider = new RddpSelectorProvider(DaemonProcess.socket(folder));
    DaemonProcess daemon = DaemonProcess.start(folder);
    try (EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(2, RddpIoHandler.newFactory(provider))) {
      Echo served = new Echo();
      Echo clients = new Echo();
      Channel listener =
          new ServerBootstrap()
              .group(loops)
              .channelFactory(() -> new RddpServerSocketChannel(provider))
              .childHandler(served)
              .bind(new InetSocketAddress(TestDaemon.ADDRESS_TWO, 0))
              .sync()
              .channel();
      SocketAddress at = listener.localAddress();
      Bootstrap bootstrap =
          new Bootstrap()
              .group(loops)
              .channelFactory(() -> new RddpSocketChannel(provider))
              .handler(clients);
      for (int i = 0; i < CLIENTS; i++) {
        send(bootstrap.connect(at).sync().channel());
      }
      ChannelFuture connecting = bootstrap.connect("10.0.0.99", 7);
      List<Channel> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        all.add(served.busy.take());
        all.add(clients.busy.take());
      }
      daemon.kill();
      for (Channel each : all) {
        each.closeFuture().sync();
      }
      assertThat(connecting.await().cause()).isInstanceOf(SocketException.class);
      daemon = DaemonProcess.start(folder);
      served.busy.clear();
      clients.busy.clear();
      ChannelFuture again;
      do {
        again = bootstrap.connect(at).await();
      } while (!again.isSuccess());
      send(again.channel());
      assertThat(clients.busy.take()).isSameAs(again.channel());
      again.channel().close().sync();
      listener.close().sync();
    } finally {
      daemon.close();
    }
  }

  private static void send(Channel on) {
    on.writeAndFlush(Unpooled.wrappedBuffer(new byte[OCTETS]), on.voidPromise());
  }
}
