package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.link.LinkHandle;
import org.rddp.rig.Affinity;

/**
 * An incast over the kernel's TCP: one thread polls both ends of all sockets. Arguments: a {@link
 * LinkHandle}, {@code connections}, {@code ecn}. Tasks and figures are {@link IncastTask}'s.
 */
public final class IncastKernelRig implements Rig {
  private static final Path ECN = Path.of("/proc/sys/net/ipv4/tcp_ecn");

  /** Linux 6.11 and later have it. */
  private static final Path LEAST_TIMEOUT = Path.of("/proc/sys/net/ipv4/tcp_rto_min_us");

  /** A message and more: one write takes all of it. */
  private static final int SEND_BUFFER = 1 << 18;

  private LinkHandle link;
  private boolean ecn;
  private int connections;

  @Override
  public void open(JsonObject arguments) throws Exception {
    link = LinkHandle.of(arguments);
    ecn = Json.flag(arguments, "ecn", false);
    connections = Json.integer(arguments, "connections", 1);
    Affinity.pin(Cpus.far());
    IncastTask.prioritize();
  }

  /** The messages of an incast, one over each of new sockets. */
  private final class SocketMessages implements IncastTask.Messages, AutoCloseable {
    private final int octets;
    private final List<SocketChannel> near = new ArrayList<>();
    private final List<SocketChannel> far = new ArrayList<>();
    private final List<ByteBuffer> left = new ArrayList<>();
    private final int[] missing = new int[connections];
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(SEND_BUFFER);

    private SocketMessages(int octets) throws IOException {
      this.octets = octets;
      link.enter(false);
      try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
        listener.bind(new InetSocketAddress(LinkHandle.farAddress(), 0));
        link.enter(true);
        // 1: asks for it. The far end accepts by default.
        Files.writeString(ECN, ecn ? "1" : "0");
        if (Files.exists(LEAST_TIMEOUT)) {
          Files.writeString(LEAST_TIMEOUT, "5000");
        }
        for (int i = 0; i < connections; i++) {
          connect(listener);
          left.add(ByteBuffer.allocateDirect(octets));
        }
      }
    }

    private void connect(ServerSocketChannel listener) throws IOException {
      SocketChannel socket = SocketChannel.open(StandardProtocolFamily.INET);
      near.add(socket);
      socket.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER);
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      socket.connect(listener.getLocalAddress());
      socket.configureBlocking(false);
      SocketChannel accepted = listener.accept();
      far.add(accepted);
      accepted.configureBlocking(false);
    }

    @Override
    public int count() {
      return near.size();
    }

    @Override
    public void post() throws IOException {
      for (int i = 0; i < missing.length; i++) {
        missing[i] = octets;
        near.get(i).write(left.get(i).clear());
      }
    }

    @Override
    public void work(Runnable arrived) throws IOException {
      for (int i = 0; i < missing.length; i++) {
        if (left.get(i).hasRemaining()) {
          near.get(i).write(left.get(i));
        }
        if (missing[i] > 0) {
          missing[i] -= far.get(i).read(buffer.clear());
          if (missing[i] == 0) {
            arrived.run();
          }
        }
      }
    }

    @Override
    public void close() throws IOException {
      for (SocketChannel each : near) {
        each.close();
      }
      for (SocketChannel each : far) {
        each.close();
      }
    }
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    IncastTask task = Json.to(json, IncastTask.class);
    link.configure(task.link());
    try (SocketMessages messages = new SocketMessages(task.octets())) {
      Histogram times = task.run(messages);
      return IncastTask.sample(times, link.counts());
    }
  }

  @Override
  public void close() {}
}
