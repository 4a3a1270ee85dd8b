package org.rddp.bench.rates;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.rddp.rig.Affinity;

/**
 * Reads the octets of connections over the kernel's TCP, one connection after the other, on a
 * pinned thread of its own.
 */
final class SocketReceiver {
  private static final int BUFFER = 1 << 18;
  private static final long TIMEOUT = 30_000_000_000L;

  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  /** Octets read; written by the reading thread alone. */
  private volatile long read;

  /** Connections read to their end; written by the reading thread alone. */
  private volatile int ended;

  private volatile boolean polling;
  private volatile Exception failure;

  /**
   * Starts the thread.
   *
   * @param enter moves the thread to its network namespace, and returns the address to listen at
   */
  SocketReceiver(int cpu, Callable<InetAddress> enter) {
    Thread.ofPlatform().daemon().name("receiver").start(() -> receive(cpu, enter));
  }

  private void receive(int cpu, Callable<InetAddress> enter) {
    try {
      Affinity.pin(cpu);
      InetAddress address = enter.call();
      try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
        listener.bind(new InetSocketAddress(address, 0));
        port.complete(listener.socket().getLocalPort());
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        for (int count = 1; true; count++) {
          try (SocketChannel socket = listener.accept()) {
            readAll(socket, buffer);
          }
          ended = count;
        }
      }
    } catch (Exception e) {
      failure = e;
      port.completeExceptionally(e);
    }
  }

  private void readAll(SocketChannel socket, ByteBuffer buffer) throws IOException {
    boolean blocking = true;
    long total = read;
    for (int octets = 0; octets >= 0; octets = socket.read(buffer.clear())) {
      if (octets > 0) {
        total += octets;
        read = total;
      }
      if (blocking == polling) {
        blocking = !polling;
        socket.configureBlocking(blocking);
      }
    }
  }

  /** Connects to it, with TCP_NODELAY. */
  SocketChannel connect(InetAddress address) throws IOException, InterruptedException {
    try {
      SocketChannel socket = SocketChannel.open(StandardProtocolFamily.INET);
      socket.connect(new InetSocketAddress(address, port.get()));
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return socket;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }

  /** Polls its socket from now on, or blocks. */
  void poll(boolean on) {
    polling = on;
  }

  long read() {
    return read;
  }

  int ended() {
    return ended;
  }

  /** Throws if the receiver has failed, or if {@code began} is too long ago. */
  void check(long began) throws IOException {
    if (failure != null) {
      throw new IOException("the receiver has failed", failure);
    }
    if (System.nanoTime() - began > TIMEOUT) {
      throw new EOFException("octets sent have not arrived");
    }
  }
}
