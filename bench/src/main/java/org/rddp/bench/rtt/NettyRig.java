package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.NetworkEnds;
import org.rddp.rig.VethEnds;

/**
 * Netty with an event loop at each end on a CPU of its own, which answers messages itself.
 * Arguments: {@code transport}, one of those of {@link NettyTransport#kernels} over the kernel's
 * TCP between two network namespaces; otherwise {@code rddp}, which is {@code polling}, or {@code
 * sleeping} for event loops that never poll.
 *
 * <p>A task is an {@link RttTask} without a warm-up, with {@code connections} (1), whose sample
 * also has {@code rate}, round trips a second on all; or with {@code stream} it has {@code octets}
 * of a message and {@code millis}, and its sample {@code gbps}, payload received.
 */
public final class NettyRig implements Rig {
  /** Ns between two looks at whether all has come, and the longest time without any of it. */
  private static final long LOOK = 20_000;

  private static final long LONGEST = 10_000_000_000L;

  private final List<Channel> connections = new ArrayList<>();
  private NettyTransport transport;
  private NetworkEnds ends;
  private RddpEnds rddp;
  private NettyServer server;
  private EventLoopGroup group;

  @Override
  public void open(JsonObject arguments) throws Exception {
    if (arguments.has("rddp")) {
      rddp = new RddpEnds(arguments.get("rddp").getAsString().equals("polling"));
      ends = rddp;
      transport = NettyTransport.rddp(rddp.provider());
    } else {
      ends = new VethEnds(true);
      transport = NettyTransport.kernels(arguments.get("transport").getAsString());
    }
    server = new NettyServer(ends, transport, rddp == null ? Cpus.far() : RddpEnds.serverCpu());
    try {
      ends.enterClient();
    } catch (IOException e) {
      throw new CannotRunException("needs root, and ip and ethtool: " + e.getMessage());
    }
    server.port();
    // The event loop's thread inherits the namespace and the CPU of this one.
    Affinity.pin(Cpus.near());
    group = new MultiThreadIoEventLoopGroup(1, transport.loops());
    connect(1);
  }

  /** Opens and closes connections until there are so many. */
  private void connect(int count) throws IOException, InterruptedException {
    while (connections.size() > count) {
      connections.removeLast().close().sync();
    }
    Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channelFactory(transport.channel()::get)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel opened) {
                    opened.pipeline().addLast(new NettyClient(), new NettyStream());
                  }
                });
    InetSocketAddress address = new InetSocketAddress(ends.serverAddress(), server.port());
    while (connections.size() < count) {
      connections.add(bootstrap.connect(address).sync().channel());
    }
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    if (Json.flag(json, "stream", false)) {
      connect(1);
      return stream(json.get("octets").getAsInt(), Json.nanos(json));
    }
    RttTask task = Json.to(json, RttTask.class);
    task.requireMessages();
    task.requireClosedLoop();
    connect(Json.integer(json, "connections", 1));
    server.answer(task.octets());
    List<NettyClient> clients =
        connections.stream().map(each -> each.pipeline().get(NettyClient.class)).toList();
    CompletableFuture<Sample> result = new CompletableFuture<>();
    NettyRoundTrips round = new NettyRoundTrips(task, result);
    execute(() -> round.begin(clients));
    return result.get();
  }

  private void execute(Runnable begin) {
    connections.getFirst().eventLoop().execute(begin);
  }

  private Sample stream(int octets, long nanos) throws Exception {
    server.count();
    long before = server.counted();
    CompletableFuture<Long> result = new CompletableFuture<>();
    NettyStream stream = connections.getFirst().pipeline().get(NettyStream.class);
    long began = System.nanoTime();
    execute(() -> stream.begin(octets, nanos, result));
    long sent = result.get();
    long ended = System.nanoTime();
    while (server.counted() - before < sent) {
      if (System.nanoTime() - ended > LONGEST) {
        throw new IOException(server.counted() - before + " octets of " + sent + " have come");
      }
      LockSupport.parkNanos(LOOK);
    }
    return Sample.of(Map.of("gbps", 8.0 * sent / (System.nanoTime() - began)));
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The process ends next.
  public void close() throws IOException {
    if (group != null) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    if (server != null) {
      server.close();
    }
    if (rddp != null) {
      rddp.close();
    }
  }
}
