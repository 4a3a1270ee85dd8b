package org.rddp.nio;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.streams.ProgramStream;
import org.rddp.daemon.TestDaemon;
import org.rddp.ipc.ring.StreamHeader;

/** Socket channels by the letter of their Javadoc. */
@Timeout(60)
class SocketChannelTest extends ConnectedChannels {
  private static ByteBuffer ascii(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  /** A call on another thread. */
  private interface Call {
    void run() throws Exception;
  }

  /** Starts a thread. Tells what it throws. */
  private static CompletableFuture<Throwable> started(boolean virtual, Call call) {
    return started(virtual, call, new AtomicReference<>());
  }

  private static CompletableFuture<Throwable> started(
      boolean virtual, Call call, AtomicReference<Thread> thread) {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Runnable body = () -> thrown.complete(catchThrowable(call::run));
    thread.set(virtual ? Thread.ofVirtual().start(body) : Thread.ofPlatform().start(body));
    return thrown;
  }

  /** Returns once a call of the client has done all that it does before it sleeps. */
  private void awaitSleep(Predicate<StreamHeader> armed) {
    StreamHeader header =
        ((ProgramStream) ((RddpSocketChannel) client).rddpPart().acquire()).header();
    while (!armed.test(header)) {
      Thread.onSpinWait();
    }
    ((RddpSocketChannel) client).rddpPart().release();
  }

  @Test
  void shouldTellAddressesOfBothEnds() throws Exception {
    assertThat(client.isConnected()).isTrue();
    assertThat(client.getRemoteAddress()).isEqualTo(listener.getLocalAddress());
    assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
    assertThat(server.getLocalAddress()).isEqualTo(client.getRemoteAddress());
    client.close();
    assertThatThrownBy(() -> client.getRemoteAddress()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void shouldThrowWhatTheJavadocNames() throws Exception {
    InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
    assertThatThrownBy(() -> client.connect(at)).isInstanceOf(AlreadyConnectedException.class);
    assertThatThrownBy(() -> client.bind(null)).isInstanceOf(AlreadyBoundException.class);
    assertThat(client.finishConnect()).isTrue();
    try (SocketChannel fresh = provider.openSocketChannel();
        ServerSocketChannel unbound = provider.openServerSocketChannel()) {
      assertThatThrownBy(() -> fresh.read(ByteBuffer.allocate(1)))
          .isInstanceOf(NotYetConnectedException.class);
      assertThatThrownBy(() -> fresh.write(ByteBuffer.allocate(1)))
          .isInstanceOf(NotYetConnectedException.class);
      assertThatThrownBy(fresh::shutdownInput).isInstanceOf(NotYetConnectedException.class);
      assertThatThrownBy(fresh::finishConnect).isInstanceOf(NoConnectionPendingException.class);
      assertThatThrownBy(() -> fresh.connect(InetSocketAddress.createUnresolved("x", 1)))
          .isInstanceOf(UnresolvedAddressException.class);
      assertThatThrownBy(unbound::accept).isInstanceOf(NotYetBoundException.class);
      assertThat(fresh.getRemoteAddress()).isNull();
      assertThat(fresh.getLocalAddress()).isNull();
    }
    SocketChannel closed = provider.openSocketChannel();
    closed.close();
    assertThatThrownBy(() -> closed.connect(at)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> closed.setOption(StandardSocketOptions.TCP_NODELAY, true))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void shouldCloseAfterARefusedConnect() throws Exception {
    InetSocketAddress nobody = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 9);
    SocketChannel refused = provider.openSocketChannel();
    assertThatThrownBy(() -> refused.connect(nobody))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("Connection refused");
    assertThat(refused.isOpen()).isFalse();
  }

  @Test
  void shouldGatherAndScatter() throws Exception {
    ByteBuffer direct = ByteBuffer.allocateDirect(3).put("cde".getBytes(US_ASCII)).flip();
    assertThat(client.write(new ByteBuffer[] {ascii("ab"), direct, ascii("f")})).isEqualTo(6);
    ByteBuffer[] into = {
      ByteBuffer.allocate(1), ByteBuffer.allocateDirect(4), ByteBuffer.allocate(9)
    };
    long read = 0;
    while (read < 6) {
      read += server.read(into);
    }
    StringBuilder text = new StringBuilder();
    for (ByteBuffer each : into) {
      text.append(US_ASCII.decode(each.flip()));
    }
    assertThat(text).hasToString("abcdef");
    assertThatThrownBy(() -> server.read(into, 2, 2)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldWriteAllThatIsGivenWhileTheOtherEndReads(boolean direct) throws Exception {
    byte[] sent = new byte[3_000_000];
    new Random(1).nextBytes(sent);
    CompletableFuture<byte[]> got =
        CompletableFuture.supplyAsync(() -> {
          ByteBuffer into =
              direct ? ByteBuffer.allocateDirect(sent.length) : ByteBuffer.allocate(sent.length);
          try {
            while (into.hasRemaining() && server.read(into) >= 0) {}
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          byte[] read = new byte[into.flip().remaining()];
          into.get(read);
          return read;
        });
    assertThat(client.write(ByteBuffer.wrap(sent))).isEqualTo(sent.length);
    assertThat(got.get()).isEqualTo(sent);
  }

  @Test
  void shouldEndEachDirectionByItself() throws Exception {
    client.write(ascii("last"));
    client.shutdownOutput();
    assertThatThrownBy(() -> client.write(ascii("x"))).isInstanceOf(ClosedChannelException.class);
    ByteBuffer into = ByteBuffer.allocate(9);
    while (server.read(into) >= 0) {}
    assertThat(US_ASCII.decode(into.flip()).toString()).isEqualTo("last");
    server.write(ascii("still"));
    into.clear().limit(5);
    while (into.hasRemaining()) {
      client.read(into);
    }
    client.shutdownInput();
    assertThat(client.read(into.clear())).isEqualTo(-1);
    assertThat(client.isOpen()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndAReadThatWaitsWhenInputIsShutDown(boolean virtual) throws Exception {
    CompletableFuture<Integer> read = new CompletableFuture<>();
    CompletableFuture<Throwable> thrown =
        started(virtual, () -> read.complete(client.read(ByteBuffer.allocate(1))));
    awaitSleep(StreamHeader::disarmReceiving);
    client.shutdownInput();
    assertThat(thrown.get()).isNull();
    assertThat(read.get()).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldThrowInAReadThatWaitsWhenClosed(boolean virtual) throws Exception {
    CompletableFuture<Throwable> thrown =
        started(virtual, () -> client.read(ByteBuffer.allocate(1)));
    awaitSleep(StreamHeader::disarmReceiving);
    client.close();
    assertThat(thrown.get()).isInstanceOf(ClosedChannelException.class);
    assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCloseWhenAReaderIsInterrupted(boolean virtual) throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CompletableFuture<Throwable> thrown =
        started(virtual, () -> client.read(ByteBuffer.allocate(1)), thread);
    awaitSleep(StreamHeader::disarmReceiving);
    thread.get().interrupt();
    assertThat(thrown.get()).isInstanceOf(ClosedByInterruptException.class);
    assertThat(client.isOpen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldThrowInAWriteThatWaitsWhenClosed(boolean virtual) throws Exception {
    CompletableFuture<Throwable> thrown =
        started(
            virtual,
            () -> {
              while (true) {
                client.write(ByteBuffer.allocate(1 << 20));
              }
            });
    awaitSleep(header -> header.disarmSending() != 0);
    client.close();
    assertThat(thrown.get()).isInstanceOf(ClosedChannelException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldThrowInAnAcceptThatWaitsWhenClosed(boolean virtual) throws Exception {
    CompletableFuture<Throwable> thrown = started(virtual, () -> listener.accept());
    listener.close();
    assertThat(thrown.get()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void shouldThrowAtAnInterruptBeforeTheCall() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldResetAtCloseWithoutLingering() throws Exception {
    client.setOption(StandardSocketOptions.SO_LINGER, 0);
    client.close();
    assertThatThrownBy(() -> server.read(ByteBuffer.allocate(1)))
        .isInstanceOf(SocketException.class)
        .hasMessage("Connection reset");
  }

  @Test
  void shouldReadWhatCameBeforeAResetIntoSeveralBuffers() throws Exception {
    client.write(ascii("abcd"));
    // All four come at once. What has not been sent, the reset would discard.
    assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(1);
    client.setOption(StandardSocketOptions.SO_LINGER, 0);
    client.close();
    // The reset has come once nothing can be written.
    assertThatThrownBy(
            () -> {
              while (true) {
                server.write(ascii("x"));
              }
            })
        .isInstanceOf(SocketException.class);
    ByteBuffer[] into = {ByteBuffer.allocate(3), ByteBuffer.allocate(1)};
    assertThat(server.read(into)).isEqualTo(3);
    assertThatThrownBy(() -> server.read(into)).isInstanceOf(SocketException.class);
  }

  @Test
  void shouldReadNothingWithoutBlocking() throws Exception {
    client.configureBlocking(false);
    assertThat(client.read(ByteBuffer.allocate(1))).isZero();
    ByteBuffer much = ByteBuffer.allocate(1 << 20);
    long written = 0;
    int more;
    do {
      more = client.write(much.clear());
      written += more;
    } while (more > 0);
    assertThat(written).isPositive();
  }

  @Test
  void shouldKeepOptions() throws Exception {
    client.setOption(StandardSocketOptions.TCP_NODELAY, true);
    assertThat(client.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
    assertThat(server.supportedOptions()).contains(StandardSocketOptions.SO_LINGER);
    assertThatThrownBy(() -> client.setOption(StandardSocketOptions.SO_LINGER, null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldServeSocketsOfChannels() throws Exception {
    Socket socket = client.socket();
    assertThat(socket.getChannel()).isSameAs(client);
    assertThat(socket.getPort()).isEqualTo(listener.socket().getLocalPort());
    socket.setSoTimeout(1);
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    server.socket().getOutputStream().write("hi".getBytes(US_ASCII));
    socket.setSoTimeout(0);
    assertThat(socket.getInputStream().readNBytes(2)).isEqualTo("hi".getBytes(US_ASCII));
    listener.socket().setSoTimeout(1);
    assertThatThrownBy(() -> listener.socket().accept()).isInstanceOf(SocketTimeoutException.class);
    socket.close();
    assertThatThrownBy(socket::getInputStream).isInstanceOf(SocketException.class);
  }

  @Test
  void shouldListenForBothKindsAtTheWildcardAddress() throws Exception {
    try (ServerSocketChannel both = provider.openServerSocketChannel()) {
      both.bind(null);
      int port = both.socket().getLocalPort();
      try (SocketChannel near = provider.openSocketChannel();
          SocketChannel far = provider.openSocketChannel()) {
        CompletableFuture<SocketChannel> accepted =
            CompletableFuture.supplyAsync(() -> {
              try {
                return both.accept();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
        near.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        accepted.get().close();
        assertThat(near.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        far.connect(new InetSocketAddress(TestDaemon.ADDRESS_TWO, port));
        both.accept().close();
        assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      }
    }
  }

  @Test
  void shouldThrowAsynchronousCloseInAConnectThatWaits() throws Exception {
    SocketChannel waiting = provider.openSocketChannel();
    // No host has this address, so the daemon asks for it in vain.
    CompletableFuture<Throwable> thrown =
        started(false, () -> waiting.connect(new InetSocketAddress("10.0.0.77", 1)));
    TestDaemon.await(() -> waiting.isConnectionPending() || thrown.isDone(), "it connects");
    waiting.close();
    assertThat(thrown.get()).isInstanceOf(AsynchronousCloseException.class);
  }
}
