package org.rddp.nio;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.daemon.TestDaemon;

/** What programs see of channels is the same over the JDK's provider and over this one. */
@Timeout(60)
class SameAsKernelTest {
  /** Whose channels they are, and which way they take. */
  enum Way {
    /** The JDK's own. */
    JDK,
    /** Over rddp. */
    RDDP,
    /** This provider's, by the kernel. */
    KERNEL;

    SelectorProvider provider() {
      return this == JDK ? Kernel.provider() : rddp;
    }

    String host() {
      return this == RDDP ? TestDaemon.ADDRESS_TWO : "127.0.0.1";
    }

    String hostOfIpv6() {
      return this == RDDP ? TestDaemon.IPV6_TWO : "::1";
    }
  }

  private static TestDaemon daemon;
  private static RddpSelectorProvider rddp;

  private ServerSocketChannel listener;
  private SocketChannel client;
  private SocketChannel server;

  @BeforeAll
  static void start() {
    daemon = new TestDaemon();
    rddp = new RddpSelectorProvider(daemon.socket());
  }

  @AfterAll
  static void stop() {
    daemon.close();
  }

  private void connect(Way way) throws IOException {
    listener = way.provider().openServerSocketChannel();
    listener.bind(new InetSocketAddress(way.host(), 0));
    client = way.provider().openSocketChannel();
    client.connect(listener.getLocalAddress());
    server = listener.accept();
  }

  @AfterEach
  void close() throws IOException {
    for (AutoCloseable each : new AutoCloseable[] {client, server, listener}) {
      try (each) {
        Thread.interrupted();
      } catch (IOException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private static ByteBuffer ascii(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  /** Reads one octet. */
  private static char next(SocketChannel from) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    from.read(one);
    return (char) one.get(0);
  }

  private static void assertThrowsWhenInterrupted(ThrowingCallable call) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(call).isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotBeConnectedOnceClosed(Way way) throws Exception {
    connect(way);
    client.close();
    assertThat(client.isConnected()).isFalse();
    assertThat(client.socket().isConnected()).isFalse();
    InetSocketAddress nobody = (InetSocketAddress) listener.getLocalAddress();
    listener.close();
    SocketChannel refused = way.provider().openSocketChannel();
    assertThatThrownBy(() -> refused.connect(nobody)).isInstanceOf(ConnectException.class);
    assertThat(refused.isConnectionPending()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void shouldTransferNothingIfABufferCannotBeUsed(Way way) throws Exception {
    connect(way);
    client.write(ascii("ab"));
    ByteBuffer[] readOnly = {ByteBuffer.allocate(1), ByteBuffer.allocate(0).asReadOnlyBuffer()};
    assertThatThrownBy(() -> server.read(readOnly)).isInstanceOf(IllegalArgumentException.class);
    ByteBuffer[] missing = {ByteBuffer.allocate(1), null};
    assertThatThrownBy(() -> server.read(missing)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> server.write(missing)).isInstanceOf(NullPointerException.class);
    assertThat(next(server)).isEqualTo('a');
    server.write(ascii("z"));
    assertThat(next(client)).isEqualTo('z');
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RDDP")
  void shouldScatterAllThatTheKernelHas(Way way) throws Exception {
    connect(way);
    client.write(ascii("abcdef"));
    ByteBuffer[] into = {ByteBuffer.allocate(1), ByteBuffer.allocate(2), ByteBuffer.allocate(9)};
    assertThat(server.read(into)).isEqualTo(6);
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadIntoNothing(Way way) throws Exception {
    connect(way);
    ByteBuffer nothing = ByteBuffer.allocate(0);
    assertThat(client.read(nothing)).isZero();
    server.close();
    assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    assertThat(client.read(nothing)).isZero();
    client.shutdownInput();
    assertThat(client.read(nothing)).isEqualTo(-1);
    assertThat(client.read(new ByteBuffer[] {nothing})).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotWaitForOctetsThatHaveNoPlace(Way way) throws Exception {
    connect(way);
    ByteBuffer closed;
    try (Arena arena = Arena.ofShared()) {
      closed = arena.allocate(1).asByteBuffer();
    }
    assertThatThrownBy(() -> client.read(closed)).isInstanceOf(IllegalStateException.class);
    server.write(ascii("a"));
    assertThatThrownBy(() -> client.read(closed)).isInstanceOf(IllegalStateException.class);
    assertThat(next(client)).isEqualTo('a');
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseAddressesOfAnotherFamily(Way way) throws Exception {
    InetSocketAddress at = new InetSocketAddress(way.hostOfIpv6(), 0);
    client = way.provider().openSocketChannel(StandardProtocolFamily.INET);
    listener = way.provider().openServerSocketChannel(StandardProtocolFamily.INET);
    for (ThrowingCallable each :
        new ThrowingCallable[] {
          () -> client.connect(at), () -> client.bind(at), () -> listener.bind(at)
        }) {
      assertThatThrownBy(each).isInstanceOf(UnsupportedAddressTypeException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotAcceptWhenInterruptedBefore(Way way) throws Exception {
    connect(way);
    try (SocketChannel waits = way.provider().openSocketChannel()) {
      waits.connect(listener.getLocalAddress());
      assertThrowsWhenInterrupted(listener::accept);
      assertThat(listener.isOpen()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldTellSocketsOfInterrupts(Way way) throws Exception {
    connect(way);
    SocketChannel fresh = way.provider().openSocketChannel();
    assertThrowsWhenInterrupted(() -> fresh.socket().connect(listener.getLocalAddress()));
    server.socket().setSoTimeout(10_000);
    assertThrowsWhenInterrupted(() -> server.socket().getInputStream().read());
    assertThrowsWhenInterrupted(() -> client.socket().getOutputStream().write(1));
    assertThrowsWhenInterrupted(() -> listener.socket().accept());
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadTheEndByASocketWithATimeoutOnceItsInputIsShutDown(Way way) throws Exception {
    connect(way);
    InputStream input = client.socket().getInputStream();
    client.socket().setSoTimeout(10_000);
    client.shutdownInput();
    assertThat(input.read()).isEqualTo(-1);
    assertThat(input.read(new byte[0])).isZero();
  }

  /** Until a listener whose backlog is full has room, which another thread finds. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldBePendingWhileItWaitsForTheKernel(boolean isOurs) throws Exception {
    List<SocketChannel> waiting = new ArrayList<>();
    try (ServerSocketChannel full = Kernel.provider().openServerSocketChannel()) {
      full.bind(new InetSocketAddress(Way.KERNEL.host(), 0), 1);
      SocketAddress to = full.getLocalAddress();
      boolean hasRoom;
      do {
        SocketChannel next = Kernel.provider().openSocketChannel();
        waiting.add(next);
        next.configureBlocking(false);
        hasRoom = next.connect(to) || next.finishConnect();
      } while (hasRoom);
      client = (isOurs ? rddp : Kernel.provider()).openSocketChannel();
      CompletableFuture<Void> connects =
          CompletableFuture.runAsync(
              () -> assertThatThrownBy(() -> client.connect(to)).isInstanceOf(IOException.class));
      while (!client.isConnectionPending() && !connects.isDone()) {
        Thread.onSpinWait();
      }
      assertThat(client.isConnectionPending()).isTrue();
      client.close();
      connects.join();
    } finally {
      for (SocketChannel each : waiting) {
        each.close();
      }
    }
  }

  /** As another thread finds it in the middle of {@code configureBlocking}. */
  @Test
  void shouldNotBlockWhenItsModeChangesMeanwhile() throws Exception {
    connect(Way.KERNEL);
    try (RddpSocketChannel made = (RddpSocketChannel) rddp.openSocketChannel()) {
      made.implConfigureBlocking(false);
      made.getOption(StandardSocketOptions.SO_RCVBUF);
      made.connect(listener.getLocalAddress());
      assertThat(made.kernelPart().isBlocking()).isFalse();
    }
    try (RddpServerSocketChannel made = (RddpServerSocketChannel) rddp.openServerSocketChannel()) {
      made.implConfigureBlocking(false);
      made.bind(new InetSocketAddress(Way.KERNEL.host(), 0));
      assertThat(made.kernelPart().isBlocking()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldServeSockets(Way way) throws Exception {
    listener = way.provider().openServerSocketChannel();
    assertThatThrownBy(() -> listener.socket().accept())
        .isInstanceOf(SocketException.class)
        .hasMessage("Socket is not bound yet");
    InetSocketAddress unresolved = InetSocketAddress.createUnresolved("x", 1);
    assertThatThrownBy(() -> listener.socket().bind(unresolved))
        .isInstanceOf(SocketException.class);
    close();
    connect(way);
    client.socket().setOOBInline(true);
    assertThat(client.socket().getOOBInline()).isTrue();
    client.configureBlocking(false);
    assertThat(client.socket().getInputStream().read(new byte[0])).isZero();
    client.socket().getOutputStream().write(new byte[0]);
    listener.close();
    assertThatThrownBy(() -> listener.getOption(StandardSocketOptions.TCP_NODELAY))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> listener.getOption(StandardSocketOptions.SO_RCVBUF))
        .isInstanceOf(ClosedChannelException.class);
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseThePortZero(Way way) throws Exception {
    client = way.provider().openSocketChannel();
    assertThatThrownBy(() -> client.connect(new InetSocketAddress(way.host(), 0)))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("Connection refused");
  }

  @ParameterizedTest
  @EnumSource
  void shouldReachThisHostByTheWildcardAddress(Way way) throws Exception {
    listener = way.provider().openServerSocketChannel().bind(null);
    client = way.provider().openSocketChannel();
    int port = listener.socket().getLocalPort();
    client.connect(new InetSocketAddress(port));
    assertThat(client.getRemoteAddress())
        .isEqualTo(
            new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
  }

  @ParameterizedTest
  @EnumSource
  void shouldTellThePeerOfAConnectionThatIsPending(Way way) throws Exception {
    connect(way);
    try (SocketChannel pending = way.provider().openSocketChannel()) {
      pending.configureBlocking(false);
      pending.connect(listener.getLocalAddress());
      assertThat(pending.socket().getRemoteSocketAddress()).isEqualTo(listener.getLocalAddress());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK", "RDDP"})
  void shouldLeaveNoListenerThatIsClosedWhileItBinds(Way way) throws Exception {
    listener = way.provider().openServerSocketChannel();
    listener.bind(new InetSocketAddress(way.host(), 0));
    InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
    listener.close();
    for (int i = 0; i < 10; i++) {
      ServerSocketChannel closed = way.provider().openServerSocketChannel();
      FutureTask<Object> bound =
          new FutureTask<>(() -> {
            try {
              return closed.bind(at);
            } catch (ClosedChannelException e) {
              return e;
            }
          });
      Thread thread = Thread.ofPlatform().start(bound);
      Thread.onSpinWait();
      closed.close();
      thread.join();
      bound.get();
      way.provider().openServerSocketChannel().bind(at).close();
    }
  }

  @Test
  void shouldKeepOptionsWhenTheDaemonRefusesAPort() throws Exception {
    connect(Way.RDDP);
    InetSocketAddress taken = new InetSocketAddress(listener.socket().getLocalPort());
    try (ServerSocketChannel both = rddp.openServerSocketChannel()) {
      both.setOption(StandardSocketOptions.SO_RCVBUF, 9000);
      both.setOption(StandardSocketOptions.SO_REUSEPORT, true);
      assertThatThrownBy(() -> both.bind(taken)).isInstanceOf(BindException.class);
      assertThat(both.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(9000);
      assertThat(both.getOption(StandardSocketOptions.SO_REUSEPORT)).isTrue();
      both.bind(null);
    }
  }

  @Test
  void shouldTellOfATimeoutThatTheDaemonNoticesFirst() throws Exception {
    for (int i = 0; i < 10; i++) {
      SocketChannel waits = rddp.openSocketChannel();
      assertThatThrownBy(() -> waits.socket().connect(new InetSocketAddress("10.0.0.77", 9), 2))
          .isInstanceOf(SocketTimeoutException.class);
      assertThat(waits.isOpen()).isFalse();
    }
  }

  @Test
  void shouldSayThatOnlyADaemonCouldHaveTheAddress() throws Exception {
    Path nothing = Path.of("/nonexistent/rddpd.sock");
    RddpSelectorProvider alone = new RddpSelectorProvider(nothing);
    InetSocketAddress at = new InetSocketAddress("192.0.2.1", 0);
    listener = alone.openServerSocketChannel();
    client = alone.openSocketChannel();
    for (ThrowingCallable each :
        new ThrowingCallable[] {() -> listener.bind(at), () -> client.bind(at)}) {
      assertThatThrownBy(each)
          .isInstanceOf(BindException.class)
          .hasMessageContaining("Cannot assign requested address")
          .hasMessageContaining("no daemon answers")
          .hasMessageContaining(nothing.toString());
    }
  }
}
