package org.rddp.bench.rtt;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.rddp.rig.NetworkEnds;
import org.rddp.rig.PinnedThread;

/**
 * The end that answers: an event loop that sends each message back when it is whole, or only counts
 * the octets that come.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Failures show as missing answers.
final class NettyServer implements AutoCloseable {
  private final CompletableFuture<Integer> listening = new CompletableFuture<>();
  private final CountDownLatch done = new CountDownLatch(1);
  private final NetworkEnds ends;
  private final NettyTransport transport;
  private final PinnedThread<Void> thread;
  private volatile int octets = Long.BYTES;
  private volatile boolean counts;

  /** Octets counted. The event loop writes it. */
  private volatile long counted;

  /** Starts it on this CPU. */
  NettyServer(NetworkEnds ends, NettyTransport transport, int cpu)
      throws IOException, InterruptedException {
    this.ends = ends;
    this.transport = transport;
    thread = PinnedThread.start("echo", cpu, this::serve);
  }

  /** Where it listens; waits until it does. */
  int port() throws IOException, InterruptedException {
    return PinnedThread.result(listening);
  }

  /** Sends messages of this length back; none may be under way. */
  void answer(int length) {
    octets = length;
    counts = false;
  }

  /** Sends nothing back, and counts octets. */
  void count() {
    counts = true;
  }

  long counted() {
    return counted;
  }

  /** Runs an event loop in this thread's namespace until it is closed. */
  private Void serve() throws IOException, InterruptedException {
    try {
      ends.enterServer();
    } catch (IOException e) {
      listening.completeExceptionally(e);
      throw e;
    }
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, transport.loops());
    try {
      Channel channel =
          new ServerBootstrap()
              .group(loops)
              .channelFactory(transport.listener()::get)
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childHandler(
                  new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel accepted) {
                      accepted.pipeline().addLast(new Echo());
                    }
                  })
              .bind(new InetSocketAddress(ends.serverAddress(), 0))
              .sync()
              .channel();
      listening.complete(((InetSocketAddress) channel.localAddress()).getPort());
      done.await();
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    return null;
  }

  private final class Echo extends WholeMessages {
    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // Written by the event loop only.
    public void channelRead(ChannelHandlerContext context, Object read) {
      if (counts) {
        ByteBuf octetsRead = (ByteBuf) read;
        counted += octetsRead.readableBytes();
        octetsRead.release();
      } else {
        super.channelRead(context, read);
      }
    }

    @Override
    int octets() {
      return octets;
    }

    @Override
    void onWhole(ChannelHandlerContext context, ByteBuf whole) {
      context.writeAndFlush(whole, context.voidPromise());
    }
  }

  @Override
  public void close() {
    done.countDown();
    thread.close();
  }
}
