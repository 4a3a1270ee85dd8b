package org.rddp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.streams.ProgramStream;
import org.rddp.daemon.TestDaemon;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.ring.StreamHeader;

/** Selectors by the letter of their Javadoc, with channels of rddp and of the kernel. */
@Timeout(60)
class SelectorTest extends ConnectedChannels {
  private static final int WAKE_UPS = 20_000;

  private Selector selector;

  @BeforeEach
  void openSelector() throws Exception {
    selector = provider.openSelector();
    client.configureBlocking(false);
  }

  @AfterEach
  void closeSelector() throws Exception {
    selector.close();
  }

  private void send() throws Exception {
    server.write(ByteBuffer.allocate(1));
  }

  @Test
  void shouldSelectWhatIsReadyUntilItIsRead() throws Exception {
    SelectionKey key = client.register(selector, SelectionKey.OP_READ);
    assertThat(selector.selectNow()).isZero();
    send();
    assertThat(selector.select()).isEqualTo(1);
    assertThat(selector.selectedKeys()).containsExactly(key);
    assertThat(key.isReadable()).isTrue();
    // It is in the set already.
    assertThat(selector.selectNow()).isZero();
    selector.selectedKeys().clear();
    assertThat(selector.select(1000)).isEqualTo(1);
    selector.selectedKeys().clear();
    client.read(ByteBuffer.allocate(9));
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.select(1)).isZero();
    send();
    assertThat(selector.select()).isEqualTo(1);
  }

  /** A server that selects now to have cancelled keys forgotten finds its others in the set. */
  @Test
  void shouldReturnForWhatIsSelectedAlready() throws Exception {
    Pipe pipe = provider.openPipe();
    for (boolean rddps : new boolean[] {true, false}) {
      SelectableChannel channel = rddps ? client : pipe.source();
      channel.configureBlocking(false);
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
      if (rddps) {
        send();
      } else {
        pipe.sink().write(ByteBuffer.allocate(1));
      }
      assertThat(selector.select()).isEqualTo(1);
      assertThat(selector.select()).isZero();
      assertThat(selector.select(1_000_000)).isZero();
      assertThat(selector.selectedKeys()).containsExactly(key);
      key.cancel();
      selector.selectNow();
    }
    pipe.source().close();
    pipe.sink().close();
  }

  /** A wake-up may come at any moment of a selection: none is lost where the kernel has a key. */
  @Test
  void shouldLoseNoWakeUp() throws Exception {
    Pipe pipe = provider.openPipe();
    pipe.source().configureBlocking(false);
    pipe.source().register(selector, SelectionKey.OP_READ);
    AtomicInteger selections = new AtomicInteger();
    CompletableFuture<Void> selecting =
        CompletableFuture.runAsync(() -> {
          try {
            while (selections.get() < WAKE_UPS) {
              selector.select();
              selections.incrementAndGet();
            }
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    while (!selecting.isDone()) {
      int before = selections.get();
      selector.wakeup();
      while (selections.get() == before && !selecting.isDone()) {
        assertThat(Thread.interrupted()).as("the test's time is over").isFalse();
        Thread.onSpinWait();
      }
    }
    selecting.get();
    pipe.source().close();
    pipe.sink().close();
  }

  @Test
  void shouldFollowTheInterest() throws Exception {
    SelectionKey key = client.register(selector, 0);
    assertThat(selector.selectNow()).isZero();
    key.interestOps(SelectionKey.OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE);
    send();
    key.interestOpsOr(SelectionKey.OP_READ);
    while ((key.readyOps() & SelectionKey.OP_READ) == 0) {
      selector.select();
    }
    assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    assertThat(key.interestOpsAnd(0)).isEqualTo(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    selector.selectedKeys().clear();
    assertThat(selector.selectNow()).isZero();
    assertThatThrownBy(() -> key.interestOps(SelectionKey.OP_ACCEPT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldTellWhenThereIsRoomAgain() throws Exception {
    SelectionKey key = client.register(selector, SelectionKey.OP_WRITE);
    ByteBuffer much = ByteBuffer.allocate(1 << 16);
    long written = 0;
    int more;
    do {
      more = client.write(much.clear());
      written += more;
    } while (more > 0 || (selector.select(20) > 0 && selector.selectedKeys().removeIf(k -> true)));
    assertThat(key.isValid()).isTrue();
    long left = written;
    ByteBuffer into = ByteBuffer.allocate(1 << 16);
    CompletableFuture<Integer> selected =
        CompletableFuture.supplyAsync(() -> {
          try {
            return selector.select();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    while (left > 0) {
      left -= server.read(into.clear());
    }
    assertThat(selected.get()).isEqualTo(1);
    assertThat(key.isWritable()).isTrue();
  }

  @Test
  void shouldWakeUp() throws Exception {
    client.register(selector, SelectionKey.OP_READ);
    selector.wakeup();
    selector.wakeup();
    assertThat(selector.select()).isZero();
    assertThat(selector.select(1)).isZero();
    selector.wakeup();
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.select(1)).isZero();
    CompletableFuture<Integer> sleeping =
        CompletableFuture.supplyAsync(() -> {
          try {
            return selector.select();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    selector.wakeup();
    assertThat(sleeping.get()).isZero();
    Thread.currentThread().interrupt();
    assertThat(selector.select()).isZero();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(selector.isOpen()).isTrue();
  }

  @Test
  void shouldForgetCancelledKeys() throws Exception {
    SelectionKey key = client.register(selector, SelectionKey.OP_READ, "first");
    send();
    selector.select();
    key.cancel();
    assertThat(selector.keys()).containsExactly(key);
    assertThatThrownBy(key::interestOps).isInstanceOf(CancelledKeyException.class);
    assertThatThrownBy(() -> client.register(selector, SelectionKey.OP_READ))
        .isInstanceOf(CancelledKeyException.class);
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.keys()).isEmpty();
    assertThat(selector.selectedKeys()).isEmpty();
    assertThat(client.isRegistered()).isFalse();
    SelectionKey again = client.register(selector, SelectionKey.OP_READ, "second");
    assertThat(again).isNotSameAs(key);
    assertThat(again.attachment()).isEqualTo("second");
    assertThat(selector.select()).isEqualTo(1);
  }

  @Test
  void shouldCancelKeysOfClosedChannels() throws Exception {
    SelectionKey key = client.register(selector, SelectionKey.OP_READ);
    selector.selectNow();
    client.close();
    // The peer learns of it before the selector has forgotten the key.
    assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    assertThat(key.isValid()).isFalse();
    assertThat(selector.selectNow()).isZero();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void shouldThrowWhatTheJavadocNames() throws Exception {
    client.register(selector, SelectionKey.OP_READ);
    assertThatThrownBy(() -> client.configureBlocking(true))
        .isInstanceOf(IllegalBlockingModeException.class);
    assertThatThrownBy(() -> server.register(selector, SelectionKey.OP_READ))
        .isInstanceOf(IllegalBlockingModeException.class);
    assertThatThrownBy(() -> selector.select(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> selector.keys().clear())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> selector.selectedKeys().add(null))
        .isInstanceOf(UnsupportedOperationException.class);
    try (Selector foreign = SelectorProvider.provider().openSelector()) {
      assertThatThrownBy(() -> client.register(foreign, SelectionKey.OP_READ))
          .isInstanceOf(IllegalSelectorException.class);
    }
    selector.close();
    assertThat(client.isRegistered()).isFalse();
    assertThatThrownBy(() -> selector.select()).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(() -> selector.keys()).isInstanceOf(ClosedSelectorException.class);
    assertThatThrownBy(() -> client.register(selector, SelectionKey.OP_READ))
        .isInstanceOf(ClosedSelectorException.class);
  }

  @Test
  void shouldCallConsumers() throws Exception {
    SelectionKey key = client.register(selector, SelectionKey.OP_READ);
    send();
    List<SelectionKey> seen = new ArrayList<>();
    assertThat(selector.select(seen::add)).isEqualTo(1);
    assertThat(selector.selectNow(seen::add)).isEqualTo(1);
    assertThat(selector.select(seen::add, 1000)).isEqualTo(1);
    assertThat(seen).containsExactly(key, key, key);
    assertThat(selector.selectedKeys()).isEmpty();
    assertThatThrownBy(() ->
            selector.select(k -> {
              throw new IllegalArgumentException("mine");
            }))
        .hasMessage("mine");
    assertThatThrownBy(() ->
            selector.select(k -> {
              try {
                selector.selectNow();
              } catch (java.io.IOException e) {
                throw new AssertionError(e);
              }
            }))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldWatchBothKinds() throws Exception {
    Pipe pipe = provider.openPipe();
    DatagramChannel datagrams = provider.openDatagramChannel();
    datagrams
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .configureBlocking(false);
    ServerSocketChannel both = provider.openServerSocketChannel().bind(null);
    both.configureBlocking(false);
    pipe.source().configureBlocking(false);
    Set<Object> seen = new HashSet<>();
    try (SocketChannel near = provider.openSocketChannel();
        SocketChannel far = provider.openSocketChannel()) {
      client.register(selector, SelectionKey.OP_READ, "stream");
      pipe.source().register(selector, SelectionKey.OP_READ, "pipe");
      datagrams.register(selector, SelectionKey.OP_READ, "datagram");
      both.register(selector, SelectionKey.OP_ACCEPT, "listener");
      near.configureBlocking(false);
      near.register(selector, SelectionKey.OP_CONNECT, "near");
      far.configureBlocking(false);
      far.register(selector, SelectionKey.OP_CONNECT, "far");
      assertThat(selector.selectNow()).isZero();
      int port = both.socket().getLocalPort();
      near.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      far.connect(new InetSocketAddress(TestDaemon.ADDRESS_TWO, port));
      pipe.sink().write(ByteBuffer.allocate(1));
      datagrams.send(ByteBuffer.allocate(1), datagrams.getLocalAddress());
      send();
      int accepted = 0;
      while (seen.size() < 6 || accepted < 2) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          seen.add(key.attachment());
          if (key.isAcceptable()) {
            SocketChannel one = both.accept();
            accepted += one == null ? 0 : 1;
          } else if (key.isConnectable()) {
            assertThat(((SocketChannel) key.channel()).finishConnect()).isTrue();
            key.interestOps(0);
          } else {
            key.interestOps(0);
          }
        }
        selector.selectedKeys().clear();
      }
      assertThat(seen)
          .containsExactlyInAnyOrder("stream", "pipe", "datagram", "listener", "near", "far");
    } finally {
      pipe.sink().close();
      pipe.source().close();
      datagrams.close();
      both.close();
    }
  }

  @Test
  void shouldSeeRegistrationsAndChangesOfOtherThreads() throws Exception {
    SelectionKey[] key = new SelectionKey[1];
    send();
    CompletableFuture<Integer> sleeping =
        CompletableFuture.supplyAsync(() -> {
          try {
            int found;
            do {
              found = selector.select();
            } while (found == 0);
            return found;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    key[0] = client.register(selector, 0);
    key[0].interestOps(SelectionKey.OP_READ);
    selector.wakeup();
    assertThat(sleeping.get()).isEqualTo(1);
  }

  @Test
  void shouldWatchOneChannelWithSeveralSelectors() throws Exception {
    try (Selector other = provider.openSelector()) {
      client.register(selector, SelectionKey.OP_READ);
      client.register(other, SelectionKey.OP_READ);
      CompletableFuture<Integer> there =
          CompletableFuture.supplyAsync(() -> {
            try {
              return other.select();
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      send();
      assertThat(selector.select()).isEqualTo(1);
      assertThat(there.get()).isEqualTo(1);
    }
  }

  /** More than the events of a poll, and than the first tables hold. */
  @Test
  void shouldSelectAmongManyConnections() throws Exception {
    int count = 3 * EventSet.MOST;
    List<SocketChannel> opened = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        SocketChannel one = provider.openSocketChannel();
        opened.add(one);
        one.connect(listener.getLocalAddress());
        SocketChannel other = listener.accept();
        opened.add(other);
        other.configureBlocking(false);
        other.register(selector, SelectionKey.OP_READ);
      }
      // By now all are left to their descriptors.
      assertThat(selector.select(10)).isZero();
      for (int i = 0; i < count; i++) {
        opened.get(2 * i).write(ByteBuffer.allocate(1));
      }
      Set<SelectionKey> seen = new HashSet<>();
      while (seen.size() < count) {
        selector.select();
        seen.addAll(selector.selectedKeys());
        for (SelectionKey each : selector.selectedKeys()) {
          ((SocketChannel) each.channel()).read(ByteBuffer.allocate(1));
        }
        selector.selectedKeys().clear();
      }
      assertThat(selector.selectNow()).isZero();
    } finally {
      for (SocketChannel each : opened) {
        each.close();
      }
    }
  }

  @Test
  void shouldAllocateNothingForAReadAWriteAndASelection() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    SelectionKey key = client.register(selector, SelectionKey.OP_READ);
    server.configureBlocking(false);
    ByteBuffer heap = ByteBuffer.allocate(64);
    ByteBuffer direct = ByteBuffer.allocateDirect(64);
    ByteBuffer[] both = {heap, direct};
    SelectionKey[] seen = new SelectionKey[1];
    java.util.function.Consumer<SelectionKey> action = each -> seen[0] = each;
    long least = Long.MAX_VALUE;
    long id = Thread.currentThread().threadId();
    for (int run = 0; run < 50 && least > 0; run++) {
      long before = threads.getThreadAllocatedBytes(id);
      for (int i = 0; i < 200; i++) {
        server.write(heap.clear());
        server.write(direct.clear());
        int read = 0;
        while (read < 128) {
          if (selector.selectNow(action) > 0) {
            read += client.read(direct.clear());
            read += client.read(heap.clear());
          }
        }
        heap.clear();
        direct.clear();
        server.write(both);
        heap.clear();
        direct.clear();
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        while (direct.hasRemaining()) {
          selector.select();
          client.read(both);
          selector.selectedKeys().clear();
        }
        key.interestOps(SelectionKey.OP_READ);
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    assertThat(least).isZero();
  }

  /** The first selector's waiter is told; the second one asks for a signal of the stream. */
  @Test
  void shouldTellTwoSelectorsOfOneChannel() throws Exception {
    try (Selector other = provider.openSelector()) {
      client.register(selector, SelectionKey.OP_READ);
      assertThat(selector.selectNow()).isZero();
      client.register(other, SelectionKey.OP_READ);
      CompletableFuture<Integer> both =
          CompletableFuture.supplyAsync(() -> {
            try {
              return selector.select() + other.select();
            } catch (java.io.IOException e) {
              throw new AssertionError(e);
            }
          });
      send();
      assertThat(both.get()).isEqualTo(2);
    }
    // Now the waiter of a third one is told.
    selector.close();
    selector = provider.openSelector();
    client.read(ByteBuffer.allocate(1));
    client.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    client.keyFor(selector).interestOps(SelectionKey.OP_WRITE);
    int written = 0;
    while (selector.selectNow(key -> {}) > 0) {
      written += client.write(ByteBuffer.allocate(1 << 16));
    }
    int all = written;
    CompletableFuture<Void> read = CompletableFuture.runAsync(() -> drain(all));
    assertThat(selector.select()).isEqualTo(1);
    read.get();
  }

  /** The one asks for room by its waiter, the other by the stream's socket: both get it. */
  @Test
  void shouldTellTwoSelectorsOfRoom() throws Exception {
    try (Selector other = provider.openSelector()) {
      client.register(selector, SelectionKey.OP_WRITE);
      assertThat(selector.selectNow(key -> {})).isEqualTo(1);
      client.register(other, SelectionKey.OP_WRITE);
      List<Selector> both = List.of(selector, other);
      for (List<Selector> asking : List.of(both, both.reversed())) {
        int written = 0;
        boolean full;
        do {
          int octets = client.write(ByteBuffer.allocate(1 << 16));
          written += octets;
          full = octets == 0;
          for (Selector each : asking) {
            // Each looks for room, and asks for it before it sleeps.
            full &= each.selectNow(key -> {}) + each.select(key -> {}, 1) == 0;
          }
        } while (!full);
        drain(written);
        for (Selector each : asking) {
          assertThat(each.select(key -> {})).isEqualTo(1);
        }
      }
    }
  }

  private void drain(int octets) {
    try {
      ByteBuffer buffer = ByteBuffer.allocate(octets);
      while (buffer.hasRemaining()) {
        server.read(buffer);
      }
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A selector that sleeps is woken once, and needs no signal of each stream. */
  @Test
  void shouldAskForNoSignalOfAStream() throws Exception {
    client.register(selector, SelectionKey.OP_READ);
    StreamHeader header = ((ProgramStream) part().acquire()).header();
    header.disarmReceiving(); // from connecting
    assertThat(selector.select(1)).isZero();
    assertThat(header.disarmReceiving()).isFalse();
    send();
    assertThat(selector.select()).isEqualTo(1);
    part().release();
  }

  private Shared<?> part() {
    return ((RddpSocketChannel) client).rddpPart();
  }

  /** Beyond the most waiters of a session, selectors ask for signals. */
  @Test
  void shouldSelectWithMoreSelectorsThanWaiters() throws Exception {
    List<Selector> others = new ArrayList<>();
    List<SocketChannel> opened = new ArrayList<>();
    try {
      for (int i = 0; i <= StreamHeader.WAITERS; i++) {
        Selector other = provider.openSelector();
        others.add(other);
        SocketChannel one = provider.openSocketChannel();
        opened.add(one);
        one.connect(listener.getLocalAddress());
        opened.add(listener.accept());
        one.configureBlocking(false);
        one.register(other, SelectionKey.OP_READ);
        assertThat(other.selectNow()).isZero();
      }
      opened.getLast().write(ByteBuffer.allocate(1));
      assertThat(others.getLast().select()).isEqualTo(1);
    } finally {
      for (SocketChannel each : opened) {
        each.close();
      }
      for (Selector each : others) {
        each.close();
      }
    }
  }

  @Test
  void shouldKeepSelectedKeysUntilTheyAreRemoved() throws Exception {
    List<SocketChannel> opened = new ArrayList<>();
    try {
      Set<SelectionKey> all = new HashSet<>();
      for (int i = 0; i < 40; i++) {
        SocketChannel one = provider.openSocketChannel();
        opened.add(one);
        one.connect(listener.getLocalAddress());
        opened.add(listener.accept());
        one.configureBlocking(false);
        all.add(one.register(selector, SelectionKey.OP_WRITE));
      }
      Set<SelectionKey> selected = selector.selectedKeys();
      assertThat(selector.select()).isEqualTo(40);
      assertThat(selected).containsExactlyInAnyOrderElementsOf(all);
      Set<SelectionKey> seen = new HashSet<>();
      for (Iterator<SelectionKey> each = selected.iterator(); each.hasNext(); ) {
        SelectionKey key = each.next();
        assertThat(seen.add(key)).isTrue();
        if (seen.size() % 3 != 0) {
          each.remove();
          assertThat(selected.contains(key)).isFalse();
        }
      }
      assertThat(seen).isEqualTo(all);
      assertThat(selected).hasSize(13);
      SelectionKey left = selected.iterator().next();
      assertThat(selected.remove(left)).isTrue();
      assertThat(selected.remove(left)).isFalse();
      assertThat(selected).hasSize(12);
      // Those that were removed are selected anew.
      assertThat(selector.selectNow()).isEqualTo(28);
      left.cancel();
      selector.selectNow();
      assertThat(selected).hasSize(39).doesNotContain(left);
      selected.clear();
      assertThat(selected).isEmpty();
    } finally {
      for (SocketChannel each : opened) {
        each.close();
      }
    }
  }

  @Test
  void shouldMakeSocketsOfFactories() throws Exception {
    try (ServerSocket listening = new RddpServerSocketFactory(provider).createServerSocket(0);
        Socket socket =
            new RddpSocketFactory(provider)
                .createSocket(TestDaemon.ADDRESS_TWO, listening.getLocalPort());
        Socket accepted = listening.accept()) {
      socket.getOutputStream().write(42);
      InputStream from = accepted.getInputStream();
      assertThat(from.read()).isEqualTo(42);
      socket.shutdownOutput();
      assertThat(from.read()).isEqualTo(-1);
    }
  }

  @Test
  void shouldLetAChannelBlockWhoseKeyIsCancelled() throws Exception {
    try (ServerSocketChannel kernels = provider.openServerSocketChannel();
        SocketChannel kernel = provider.openSocketChannel()) {
      kernels.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      kernel.connect(kernels.getLocalAddress());
      try (SocketChannel accepted = kernels.accept()) {
        for (SocketChannel each : new SocketChannel[] {client, kernel, accepted}) {
          each.configureBlocking(false);
          SelectionKey key = each.register(selector, SelectionKey.OP_WRITE);
          assertThat(selector.select()).isEqualTo(1);
          assertThatThrownBy(() -> each.configureBlocking(true))
              .isInstanceOf(IllegalBlockingModeException.class);
          key.cancel();
          each.configureBlocking(true);
          assertThat(each.isBlocking()).isTrue();
          assertThat(selector.selectNow()).isZero();
        }
      }
    }
  }
}
