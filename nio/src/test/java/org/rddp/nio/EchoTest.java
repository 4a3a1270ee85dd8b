package org.rddp.nio;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.TestDaemon;

/** An echo server and its client, whose threads poll before they sleep, or do not. */
@Timeout(60)
@ParameterizedClass
@ValueSource(longs = {0, 100_000})
class EchoTest {
  private static TestDaemon daemon;

  private final RddpSelectorProvider provider;

  EchoTest(long polling) {
    provider = new RddpSelectorProvider(daemon.socket(), Duration.ofNanos(polling));
  }

  @BeforeAll
  static void start() {
    daemon = new TestDaemon();
  }

  @AfterAll
  static void stop() {
    daemon.close();
  }

  private static InetSocketAddress two(int port) {
    return new InetSocketAddress(TestDaemon.ADDRESS_TWO, port);
  }

  private static String read(SocketChannel from, int octets) throws Exception {
    ByteBuffer into = ByteBuffer.allocate(octets);
    while (into.hasRemaining() && from.read(into) >= 0) {}
    return new String(into.array(), 0, into.position(), US_ASCII);
  }

  @Test
  void shouldEchoBlocking() throws Exception {
    try (ServerSocketChannel listener = provider.openServerSocketChannel();
        SocketChannel client = provider.openSocketChannel()) {
      listener.bind(two(0));
      CompletableFuture<String> server =
          CompletableFuture.supplyAsync(() -> {
            try (SocketChannel accepted = listener.accept()) {
              String text = read(accepted, 5);
              accepted.write(ByteBuffer.wrap(text.getBytes(US_ASCII)));
              return text;
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      assertThat(client.connect(listener.getLocalAddress())).isTrue();
      client.write(ByteBuffer.wrap("hello".getBytes(US_ASCII)));
      assertThat(read(client, 6)).isEqualTo("hello");
      assertThat(server.get()).isEqualTo("hello");
    }
  }

  @Test
  void shouldEchoWithASelector() throws Exception {
    try (Selector selector = provider.openSelector();
        ServerSocketChannel listener = provider.openServerSocketChannel();
        SocketChannel client = provider.openSocketChannel()) {
      listener.bind(two(0)).configureBlocking(false);
      listener.register(selector, SelectionKey.OP_ACCEPT);
      client.configureBlocking(false);
      client.register(selector, SelectionKey.OP_CONNECT);
      client.connect(listener.getLocalAddress());
      ByteBuffer buffer = ByteBuffer.allocate(100);
      StringBuilder got = new StringBuilder();
      while (got.length() < 5) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          if (key.isAcceptable()) {
            SocketChannel accepted = ((ServerSocketChannel) key.channel()).accept();
            accepted.configureBlocking(false);
            accepted.register(selector, SelectionKey.OP_READ, "echo");
          } else if (key.isConnectable()) {
            assertThat(client.finishConnect()).isTrue();
            key.interestOps(SelectionKey.OP_READ);
            client.write(ByteBuffer.wrap("hello".getBytes(US_ASCII)));
          } else if (key.isReadable() && "echo".equals(key.attachment())) {
            ((SocketChannel) key.channel()).read(buffer.clear());
            ((SocketChannel) key.channel()).write(buffer.flip());
          } else if (key.isReadable()) {
            client.read(buffer.clear());
            got.append(US_ASCII.decode(buffer.flip()));
          }
        }
        selector.selectedKeys().clear();
      }
      assertThat(got).hasToString("hello");
    }
  }
}
