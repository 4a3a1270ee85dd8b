package org.rddp.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Set;

/** The socket of a listening channel: {@link ServerSocketChannel#socket}. */
final class ChannelServerSocket extends ServerSocket {
  private final RddpServerSocketChannel channel;
  private volatile int timeout;

  /** Makes a server socket of the JDK's that opens nothing: all its methods are the channel's. */
  private ChannelServerSocket(RddpServerSocketChannel channel) throws IOException {
    this.channel = channel;
  }

  static ChannelServerSocket of(RddpServerSocketChannel channel) {
    try {
      return new ChannelServerSocket(channel);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void bind(SocketAddress to) throws IOException {
    bind(to, 0);
  }

  @Override
  public void bind(SocketAddress to, int backlog) throws IOException {
    try {
      channel.bind(to, backlog);
    } catch (AlreadyBoundException e) {
      throw Failures.caused(new SocketException("Already bound"), e);
    } catch (UnresolvedAddressException e) {
      throw Failures.caused(new SocketException("Unresolved address"), e);
    } catch (ClosedChannelException e) {
      throw Failures.caused(new SocketException("Socket is closed"), e);
    }
  }

  @Override
  public InetAddress getInetAddress() {
    InetSocketAddress local = channel.localAddress();
    return local == null ? null : local.getAddress();
  }

  @Override
  public int getLocalPort() {
    InetSocketAddress local = channel.localAddress();
    return local == null ? -1 : local.getPort();
  }

  @Override
  public SocketAddress getLocalSocketAddress() {
    return channel.localAddress();
  }

  @Override
  public Socket accept() throws IOException {
    try {
      SocketChannel accepted = channel.accept(RddpSocketChannel.nanos(timeout));
      if (accepted == null) {
        throw new IllegalBlockingModeException();
      }
      return accepted.socket();
    } catch (NotYetBoundException e) {
      throw Failures.caused(new SocketException("Socket is not bound yet"), e);
    } catch (ClosedChannelException e) {
      throw Failures.ofClosed("Socket closed", e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public ServerSocketChannel getChannel() {
    return channel;
  }

  @Override
  public boolean isBound() {
    return channel.localAddress() != null;
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public void setSoTimeout(int millis) throws SocketException {
    timeout = ChannelOptions.timeout(channel, millis);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    ChannelOptions.ensureOpen(channel);
    return timeout;
  }

  @Override
  public void setReuseAddress(boolean on) throws SocketException {
    ChannelOptions.set(channel, StandardSocketOptions.SO_REUSEADDR, on);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.SO_REUSEADDR);
  }

  @Override
  public void setReceiveBufferSize(int octets) throws SocketException {
    ChannelOptions.set(
        channel,
        StandardSocketOptions.SO_RCVBUF,
        ChannelOptions.size(octets, "size cannot be 0 or negative"));
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.SO_RCVBUF);
  }

  @Override
  public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
    channel.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return channel.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return channel.supportedOptions();
  }

  @Override
  public String toString() {
    return isBound()
        ? "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]"
        : "ServerSocket[unbound]";
  }
}
