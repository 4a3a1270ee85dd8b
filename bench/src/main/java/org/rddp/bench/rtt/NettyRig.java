package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.NetworkEnds;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.RoundTrips;
import org.rddp.rig.VethEnds;

/**
 * Netty with an event loop at each end on a CPU of its own, which answers messages itself: its
 * epoll transport over the kernel's TCP between two network namespaces, or with the argument {@code
 * rddp} that of rddp.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Failures show as missing answers.
public final class NettyRig implements Rig {
  private final CompletableFuture<Integer> listening = new CompletableFuture<>();
  private final CountDownLatch done = new CountDownLatch(1);
  private final Client client = new Client();
  private NettyTransport transport;
  private NetworkEnds ends;
  private RddpEnds rddp;
  private PinnedThread<Void> server;
  private EventLoopGroup group;
  private volatile int octets = Long.BYTES;

  @Override
  public void open(JsonObject arguments) throws Exception {
    if (arguments.has("rddp")) {
      rddp = new RddpEnds();
      ends = rddp;
      transport = NettyTransport.rddp(rddp.provider());
    } else {
      ends = new VethEnds(true);
      transport = NettyTransport.epoll();
    }
    server = PinnedThread.start("echo", Cpus.far(), this::serve);
    try {
      ends.enterClient();
    } catch (IOException e) {
      throw new CannotRunException("needs root, and ip and ethtool: " + e.getMessage());
    }
    int port = PinnedThread.result(listening);
    // The event loop's thread inherits the namespace and the CPU of this one.
    Affinity.pin(Cpus.near());
    group = new MultiThreadIoEventLoopGroup(1, transport.loops());
    new Bootstrap()
        .group(group)
        .channelFactory(transport.channel()::get)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(client)
        .connect(new InetSocketAddress(ends.serverAddress(), port))
        .sync();
  }

  /** Runs an event loop in this thread's namespace until the rig is closed. */
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

  private abstract class Whole extends ChannelInboundHandlerAdapter {
    private ByteBuf message;

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
      ByteBuf octetsRead = (ByteBuf) read;
      if (message == null && octetsRead.readableBytes() == octets) {
        onWhole(context, octetsRead);
        return;
      }
      if (message == null) {
        message = context.alloc().directBuffer(octets);
      }
      message.writeBytes(octetsRead);
      octetsRead.release();
      if (message.readableBytes() == octets) {
        ByteBuf whole = message;
        message = null;
        onWhole(context, whole);
      }
    }

    /** Takes over a whole message. */
    abstract void onWhole(ChannelHandlerContext context, ByteBuf whole);
  }

  private final class Echo extends Whole {
    @Override
    void onWhole(ChannelHandlerContext context, ByteBuf whole) {
      context.writeAndFlush(whole, context.voidPromise());
    }
  }

  /** Sends the next message when one is back. */
  private final class Client extends Whole {
    private ChannelHandlerContext context;
    private RttTask task;
    private Histogram nanoseconds;
    private CompletableFuture<Histogram> result;
    private int left;
    private long end;
    private long number;
    private long began;

    @Override
    public void channelActive(ChannelHandlerContext active) {
      context = active;
    }

    void start(RttTask given, CompletableFuture<Histogram> wanted) {
      task = given;
      result = wanted;
      nanoseconds = RoundTrips.histogram();
      left = task.warmUp() + task.count();
      end = System.nanoTime() + task.mostNanos();
      send();
    }

    private void send() {
      ByteBuf message = context.alloc().directBuffer(octets);
      message.writerIndex(octets);
      began = System.nanoTime();
      number++;
      message.setLong(0, number);
      message.setLong(octets - Long.BYTES, number);
      context.writeAndFlush(message, context.voidPromise());
    }

    @Override
    void onWhole(ChannelHandlerContext at, ByteBuf whole) {
      long took = System.nanoTime() - began;
      boolean same = whole.getLong(0) == number && whole.getLong(octets - Long.BYTES) == number;
      whole.release();
      if (!same) {
        result.completeExceptionally(new IOException("another message came back"));
        return;
      }
      if (left <= task.count()) {
        nanoseconds.recordValue(Math.min(took, nanoseconds.getHighestTrackableValue()));
      }
      left--;
      if (began > end && left > task.count()) {
        left = task.count();
        end = began + task.mostNanos();
      }
      if (left == 0 || (began > end && nanoseconds.getTotalCount() > 0)) {
        result.complete(nanoseconds);
      } else {
        send();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
      if (result != null) {
        result.completeExceptionally(new IOException("the other end has closed"));
      }
    }
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    RttTask task = RttTask.fromJson(json);
    task.requireMessages();
    task.requireClosedLoop();
    octets = task.octets();
    CompletableFuture<Histogram> result = new CompletableFuture<>();
    client.context.executor().execute(() -> client.start(task, result));
    return Sample.of(result.get());
  }

  @Override
  public void close() throws IOException {
    if (group != null) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    done.countDown();
    if (server != null) {
      server.close();
    }
    if (rddp != null) {
      rddp.close();
    }
  }
}
