package org.rddp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.daemon.DaemonProcess;
import org.rddp.daemon.TestDaemon;

/** A daemon is killed while channels are used, and another one comes. */
@Timeout(60)
class DaemonLossTest {
  /** Where nobody answers. */
  private static final InetSocketAddress NOBODY = new InetSocketAddress("10.0.0.99", 7);

  @TempDir Path folder;
  private DaemonProcess daemon;
  private RddpSelectorProvider provider;
  private ServerSocketChannel listener;
  private final List<SocketChannel> opened = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    daemon = DaemonProcess.start(folder);
    provider = new RddpSelectorProvider(DaemonProcess.socket(folder));
    listener = provider.openServerSocketChannel();
    listener.bind(new InetSocketAddress(TestDaemon.ADDRESS_TWO, 0));
  }

  @AfterEach
  void close() throws Exception {
    listener.close();
    for (SocketChannel each : opened) {
      each.close();
    }
    daemon.close();
  }

  /** The end that connects, and the one that accepts. */
  private record Connection(SocketChannel client, SocketChannel server) {}

  private Connection connect() throws IOException {
    SocketChannel client = provider.openSocketChannel();
    opened.add(client);
    client.connect(listener.getLocalAddress());
    SocketChannel server = listener.accept();
    opened.add(server);
    return new Connection(client, server);
  }

  /** Begins to connect to where nobody answers. */
  private SocketChannel pending() throws IOException {
    SocketChannel channel = provider.openSocketChannel();
    opened.add(channel);
    channel.configureBlocking(false);
    assertThat(channel.connect(NOBODY)).isFalse();
    return channel;
  }

  /** Starts a thread. Tells what it throws. */
  private static CompletableFuture<Throwable> thrown(boolean virtual, ThrowingCallable call) {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Runnable body = () -> thrown.complete(catchThrowable(call));
    Thread _ = virtual ? Thread.ofVirtual().start(body) : Thread.ofPlatform().start(body);
    return thrown;
  }

  @Test
  void shouldEndCallsThatBlock() throws Exception {
    List<CompletableFuture<Throwable>> calls = new ArrayList<>();
    for (boolean virtual : new boolean[] {false, true}) {
      SocketChannel reads = connect().client;
      calls.add(thrown(virtual, () -> reads.read(ByteBuffer.allocate(1))));
      SocketChannel writes = connect().client;
      calls.add(
          thrown(
              virtual,
              () -> {
                while (true) {
                  writes.write(ByteBuffer.allocate(1 << 16));
                }
              }));
      SocketChannel connects = provider.openSocketChannel();
      opened.add(connects);
      calls.add(thrown(virtual, () -> connects.connect(NOBODY)));
      Connection busy = connect();
      calls.add(
          thrown(
              virtual,
              () -> {
                ByteBuffer buffer = ByteBuffer.allocate(1);
                while (true) {
                  busy.client.write(buffer.clear());
                  busy.server.read(buffer.clear());
                }
              }));
    }
    daemon.kill();
    for (CompletableFuture<Throwable> each : calls) {
      assertThat(each.get()).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void shouldTellCallsThatDoNotBlock() throws Exception {
    SocketChannel reads = connect().client;
    reads.configureBlocking(false);
    SocketChannel writes = connect().client;
    writes.configureBlocking(false);
    SocketChannel connects = pending();
    daemon.kill();
    ByteBuffer buffer = ByteBuffer.allocate(1);
    assertThatThrownBy(
            () -> {
              while (reads.read(buffer.clear()) == 0) {}
            })
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("Connection reset");
    assertThatThrownBy(
            () -> {
              while (true) {
                writes.write(buffer.clear());
              }
            })
        .isInstanceOf(SocketException.class)
        .hasMessageContaining("Connection reset");
    assertThatThrownBy(
            () -> {
              while (!connects.finishConnect()) {}
            })
        .isInstanceOf(SocketException.class);
    assertThat(connects.isOpen()).isFalse();
  }

  @Test
  void shouldWakeSelectors() throws Exception {
    try (Selector selector = provider.openSelector()) {
      int[] interests = {
        SelectionKey.OP_READ, SelectionKey.OP_WRITE, SelectionKey.OP_READ | SelectionKey.OP_WRITE
      };
      for (int interest : interests) {
        SocketChannel channel = connect().client;
        channel.configureBlocking(false);
        channel.register(selector, interest);
      }
      pending().register(selector, SelectionKey.OP_CONNECT);
      // By the end of this there is no more room, and all are left to their descriptors.
      while (selector.select(DaemonLossTest::use, 50) > 0) {}
      daemon.kill();
      while (!selector.keys().isEmpty()) {
        selector.select(DaemonLossTest::use);
      }
    }
  }

  /** Does what the channel is ready for; closes it once that fails. */
  private static void use(SelectionKey key) {
    SocketChannel channel = (SocketChannel) key.channel();
    try {
      if (key.isConnectable()) {
        channel.finishConnect();
      } else if (key.isReadable()) {
        channel.read(ByteBuffer.allocate(1));
      } else {
        channel.write(ByteBuffer.allocate(1 << 16));
      }
    } catch (IOException e) {
      key.cancel();
    }
  }

  /** Connects to the next daemon as soon as it is there, and until the listener is. */
  private static SocketChannel reconnect(RddpSelectorProvider provider, InetSocketAddress to)
      throws InterruptedException {
    while (true) {
      try {
        SocketChannel channel = provider.openSocketChannel();
        channel.connect(to);
        return channel;
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
  }

  /** Sends one octet and gets it back. */
  private static void exchange(SocketChannel one, SocketChannel other) throws IOException {
    one.write(ByteBuffer.wrap(new byte[] {42}));
    ByteBuffer got = ByteBuffer.allocate(1);
    while (other.read(got) == 0) {}
    assertThat(got.get(0)).isEqualTo((byte) 42);
  }

  @Test
  void shouldAcceptFromTheNextDaemon() throws Exception {
    ServerSocketChannel wildcard = provider.openServerSocketChannel().bind(null);
    ServerSocketChannel selected = provider.openServerSocketChannel().bind(null);
    try (wildcard;
        selected;
        Selector selector = provider.openSelector()) {
      selected.configureBlocking(false);
      selected.register(selector, SelectionKey.OP_ACCEPT);
      assertThat(selector.select(10)).isZero();
      List<CompletableFuture<SocketChannel>> accepted = new ArrayList<>();
      for (ServerSocketChannel each : List.of(listener, wildcard)) {
        CompletableFuture<SocketChannel> one = new CompletableFuture<>();
        Thread.ofPlatform()
            .start(() -> {
              try {
                one.complete(each.accept());
              } catch (IOException e) {
                one.completeExceptionally(e);
              }
            });
        accepted.add(one);
      }
      daemon.kill();
      assertThat(selector.select(100)).isZero();
      assertThatThrownBy(() -> provider.openSocketChannel().connect(listener.getLocalAddress()))
          .hasMessageContaining("no daemon answers");
      // The kernel's side goes on.
      try (SocketChannel kernels = provider.openSocketChannel()) {
        kernels.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port(selected)));
        assertThat(selector.select()).isEqualTo(1);
        opened.add(selected.accept());
        selector.selectedKeys().clear();
      }
      daemon = DaemonProcess.start(folder);
      for (int i = 0; i < 2; i++) {
        int port = port(i == 0 ? listener : wildcard);
        SocketChannel client =
            reconnect(provider, new InetSocketAddress(TestDaemon.ADDRESS_TWO, port));
        opened.add(client);
        opened.add(accepted.get(i).get());
        exchange(client, accepted.get(i).get());
      }
      SocketChannel client =
          reconnect(provider, new InetSocketAddress(TestDaemon.ADDRESS_TWO, port(selected)));
      opened.add(client);
      assertThat(selector.select()).isEqualTo(1);
      opened.add(selected.accept());
      exchange(client, opened.getLast());
    }
  }

  private static int port(ServerSocketChannel of) throws IOException {
    return ((InetSocketAddress) of.getLocalAddress()).getPort();
  }
}
