package org.rddp.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The JDK's channel beneath one of rddp's. It keeps options and what the upper channel is bound to,
 * and does everything for a connection of the kernel's. It is opened when it is needed first. An
 * interrupt while it waits closes both channels.
 *
 * <p>Safe for several threads.
 */
final class KernelSocketChannel {
  private final SocketChannel upper;

  /** Null: both. */
  private final ProtocolFamily family;

  /** Guards the opening of {@link #channel}. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Null until it is needed. */
  private volatile SocketChannel channel;

  /** Its mode; the upper channel says so only once that is set here. Under the lock. */
  private boolean blocking = true;

  /**
   * A channel that is not yet open.
   *
   * @param family null: both
   */
  KernelSocketChannel(SocketChannel upper, ProtocolFamily family) {
    this.upper = upper;
    this.family = family;
  }

  /** The channel of a connection that the kernel has accepted. */
  KernelSocketChannel(SocketChannel upper, SocketChannel accepted) {
    this(upper, (ProtocolFamily) null);
    channel = accepted;
  }

  /** Something that waits in the kernel's channel. */
  private interface Call<T> {
    T call() throws IOException;
  }

  /** An interrupt has closed the channel that waited; the upper one follows. */
  private <T> T closingBoth(Call<T> call) throws IOException {
    try {
      return call.call();
    } catch (ClosedByInterruptException e) {
      upper.close();
      throw e;
    }
  }

  /** The channel, or null if nothing has needed it. */
  SocketChannel channel() {
    return channel;
  }

  /**
   * Opens the channel if it is not open yet.
   *
   * @throws ClosedChannelException if the upper channel is closed
   */
  SocketChannel opened() throws IOException {
    lock.lock();
    try {
      if (!upper.isOpen()) {
        throw new ClosedChannelException();
      }
      if (channel == null) {
        SocketChannel made =
            family == null
                ? Kernel.provider().openSocketChannel()
                : Kernel.provider().openSocketChannel(family);
        made.configureBlocking(blocking);
        channel = made;
      }
      return channel;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Connects.
   *
   * @param nanos the longest time if the channel blocks; 0: no limit of its own
   * @return whether it is connected
   */
  boolean connect(InetSocketAddress to, long nanos) throws IOException {
    SocketChannel used = opened();
    return closingBoth(() -> {
      if (nanos == 0 || !upper.isBlocking()) {
        return used.connect(to);
      }
      used.socket().connect(to, RddpSocketChannel.millis(nanos));
      return true;
    });
  }

  /**
   * Reads.
   *
   * @param nanos the longest time for the first octet if the channel blocks; 0: no limit
   */
  int read(ByteBuffer into, long nanos) throws IOException {
    return closingBoth(
        () -> nanos == 0 || !upper.isBlocking() ? channel.read(into) : readFor(into, nanos));
  }

  private int readFor(ByteBuffer into, long nanos) throws IOException {
    Socket socket = channel.socket();
    socket.setSoTimeout(RddpSocketChannel.millis(nanos));
    byte[] octets = new byte[Math.min(into.remaining(), 65536)];
    try {
      int read = socket.getInputStream().read(octets);
      into.put(octets, 0, Math.max(0, read));
      return read;
    } catch (SocketException e) {
      if (socket.isInputShutdown()) {
        return -1; // It gives no stream then.
      }
      throw e;
    }
  }

  long read(ByteBuffer[] into, int offset, int length) throws IOException {
    return closingBoth(() -> channel.read(into, offset, length));
  }

  int available() throws IOException {
    return channel.socket().getInputStream().available();
  }

  int write(ByteBuffer from) throws IOException {
    return closingBoth(() -> channel.write(from));
  }

  long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return closingBoth(() -> channel.write(from, offset, length));
  }

  /** Whether a program has set SO_LINGER to 0, so that a close resets the connection. */
  boolean resetsAtClose() throws IOException {
    SocketChannel used = channel;
    try {
      return used != null && used.getOption(StandardSocketOptions.SO_LINGER) == 0;
    } catch (ClosedChannelException e) {
      return false;
    }
  }

  void configureBlocking(boolean blocks) throws IOException {
    lock.lock();
    try {
      if (channel != null) {
        channel.configureBlocking(blocks);
      }
      blocking = blocks;
    } finally {
      lock.unlock();
    }
  }

  /** Closes it for good: the upper channel is closed, so it is not opened any more. */
  void close() throws IOException {
    lock.lock();
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
