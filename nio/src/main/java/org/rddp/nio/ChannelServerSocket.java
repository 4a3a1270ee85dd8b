package org.rddp.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Set;

/** The socket of a listening channel: {@link ServerSocketChannel#socket}. */
final class ChannelServerSocket extends ServerSocket {
  private final RddpServerSocketChannel channel;
  private volatile int timeout;

  private ChannelServerSocket(RddpServerSocketChannel channel) {
    super(new Unused());
    this.channel = channel;
  }

  static ChannelServerSocket of(RddpServerSocketChannel channel) {
    return new ChannelServerSocket(channel);
  }

  /** What the constructor wants, and nobody calls. */
  private static final class Unused extends SocketImpl {
    private static UnsupportedOperationException unused() {
      return new UnsupportedOperationException();
    }

    @Override
    protected void create(boolean stream) {
      throw unused();
    }

    @Override
    protected void connect(String host, int port) {
      throw unused();
    }

    @Override
    protected void connect(InetAddress address, int port) {
      throw unused();
    }

    @Override
    protected void connect(SocketAddress address, int timeout) {
      throw unused();
    }

    @Override
    protected void bind(InetAddress host, int port) {
      throw unused();
    }

    @Override
    protected void listen(int backlog) {
      throw unused();
    }

    @Override
    protected void accept(SocketImpl accepted) {
      throw unused();
    }

    @Override
    protected InputStream getInputStream() {
      throw unused();
    }

    @Override
    protected OutputStream getOutputStream() {
      throw unused();
    }

    @Override
    protected int available() {
      throw unused();
    }

    @Override
    protected void close() {}

    @Override
    protected void sendUrgentData(int data) {
      throw unused();
    }

    @Override
    public void setOption(int id, Object value) {
      throw unused();
    }

    @Override
    public Object getOption(int id) {
      throw unused();
    }
  }

  private void ensureOpen() throws SocketException {
    if (!channel.isOpen()) {
      throw new SocketException("Socket is closed");
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
      throw Failures.caused(new UnknownHostException(to.toString()), e);
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
    if (!isBound()) {
      throw new IllegalBlockingModeException();
    }
    if (!channel.isBlocking()) {
      var accepted = channel.accept();
      if (accepted == null) {
        throw new IllegalBlockingModeException();
      }
      return accepted.socket();
    }
    try {
      return channel.accept(RddpSocketChannel.nanos(timeout)).socket();
    } catch (SocketTimeoutException | NotYetBoundException e) {
      throw e;
    } catch (ClosedChannelException e) {
      throw Failures.caused(new SocketException("Socket closed"), e);
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
    ensureOpen();
    if (millis < 0) {
      throw new IllegalArgumentException("timeout < 0");
    }
    timeout = millis;
  }

  @Override
  public int getSoTimeout() throws SocketException {
    ensureOpen();
    return timeout;
  }

  @Override
  public void setReuseAddress(boolean on) throws SocketException {
    set(StandardSocketOptions.SO_REUSEADDR, on);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return get(StandardSocketOptions.SO_REUSEADDR);
  }

  @Override
  public void setReceiveBufferSize(int octets) throws SocketException {
    if (octets <= 0) {
      throw new IllegalArgumentException("size cannot be 0 or negative");
    }
    set(StandardSocketOptions.SO_RCVBUF, octets);
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return get(StandardSocketOptions.SO_RCVBUF);
  }

  @Override
  public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {}

  private <T> void set(SocketOption<T> name, T value) throws SocketException {
    ensureOpen();
    try {
      channel.setOption(name, value);
    } catch (IOException e) {
      throw Failures.caused(new SocketException(e.getMessage()), e);
    }
  }

  private <T> T get(SocketOption<T> name) throws SocketException {
    ensureOpen();
    try {
      return channel.getOption(name);
    } catch (IOException e) {
      throw Failures.caused(new SocketException(e.getMessage()), e);
    }
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
