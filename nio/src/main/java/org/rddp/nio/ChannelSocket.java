package org.rddp.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import java.util.Set;

/** The socket of a channel: {@link SocketChannel#socket}. */
final class ChannelSocket extends Socket {
  private final RddpSocketChannel channel;
  private volatile int timeout;

  /** Kept, and does nothing. */
  private volatile boolean urgentInline;

  private ChannelSocket(RddpSocketChannel channel) throws SocketException {
    super((SocketImpl) null);
    this.channel = channel;
  }

  static ChannelSocket of(RddpSocketChannel channel) {
    try {
      return new ChannelSocket(channel);
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void ensureBlocking() {
    if (!channel.isBlocking()) {
      throw new IllegalBlockingModeException();
    }
  }

  @Override
  public void connect(SocketAddress to) throws IOException {
    connect(to, 0);
  }

  @Override
  public void connect(SocketAddress to, int millis) throws IOException {
    if (to == null) {
      throw new IllegalArgumentException("connect: The address can't be null");
    }
    if (millis < 0) {
      throw new IllegalArgumentException("connect: timeout can't be negative");
    }
    if (!(to instanceof InetSocketAddress inet)) {
      throw new IllegalArgumentException("Unsupported address type");
    }
    ensureBlocking();
    try {
      if (inet.isUnresolved()) {
        channel.close();
        throw new UnknownHostException(inet.getHostName());
      }
      channel.connect(inet, RddpSocketChannel.nanos(millis));
    } catch (ConnectionPendingException e) {
      throw Failures.caused(new SocketException("Connection in progress"), e);
    } catch (AlreadyConnectedException e) {
      throw Failures.caused(new SocketException("Already connected"), e);
    } catch (ClosedChannelException e) {
      throw Failures.ofClosed("Socket is closed", e);
    }
  }

  @Override
  public void bind(SocketAddress to) throws IOException {
    try {
      channel.bind(to);
    } catch (AlreadyBoundException e) {
      throw Failures.caused(new SocketException("Already bound"), e);
    } catch (UnresolvedAddressException e) {
      throw Failures.caused(new SocketException("Unresolved address"), e);
    } catch (ClosedChannelException e) {
      throw Failures.ofClosed("Socket is closed", e);
    }
  }

  @Override
  public InetAddress getInetAddress() {
    InetSocketAddress remote = channel.remoteAddress();
    return remote == null ? null : remote.getAddress();
  }

  @Override
  public InetAddress getLocalAddress() {
    InetSocketAddress local = channel.isOpen() ? channel.localAddress() : null;
    return local == null ? new InetSocketAddress(0).getAddress() : local.getAddress();
  }

  @Override
  public int getPort() {
    InetSocketAddress remote = channel.remoteAddress();
    return remote == null ? 0 : remote.getPort();
  }

  @Override
  public int getLocalPort() {
    InetSocketAddress local = channel.localAddress();
    return local == null ? -1 : local.getPort();
  }

  @Override
  public SocketAddress getRemoteSocketAddress() {
    return channel.remoteAddress();
  }

  @Override
  public SocketAddress getLocalSocketAddress() {
    InetSocketAddress local = channel.localAddress();
    return local == null || channel.isOpen() ? local : new InetSocketAddress(local.getPort());
  }

  @Override
  public SocketChannel getChannel() {
    return channel;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    ensureConnected();
    if (isInputShutdown()) {
      throw new SocketException("Socket input is shutdown");
    }
    return new Input();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    ensureConnected();
    if (isOutputShutdown()) {
      throw new SocketException("Socket output is shutdown");
    }
    return new Output();
  }

  private void ensureConnected() throws SocketException {
    ChannelOptions.ensureOpen(channel);
    if (!channel.isConnected()) {
      throw new SocketException("Socket is not connected");
    }
  }

  /** Reads from the channel. */
  private final class Input extends InputStream {
    private final byte[] one = new byte[1];

    @Override
    public synchronized int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, into.length);
      if (length == 0) {
        return 0;
      }
      ensureBlocking();
      try {
        return channel.read(
            ByteBuffer.wrap(into, offset, length), RddpSocketChannel.nanos(timeout));
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (ClosedChannelException e) {
        throw Failures.ofClosed("Socket closed", e);
      }
    }

    @Override
    public int available() throws IOException {
      ChannelOptions.ensureOpen(channel);
      return channel.isInputClosed() ? 0 : channel.available();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** Writes to the channel. */
  private final class Output extends OutputStream {
    @Override
    public void write(int octet) throws IOException {
      write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      ByteBuffer left = ByteBuffer.wrap(from, offset, length);
      if (length == 0) {
        return;
      }
      ensureBlocking();
      try {
        while (left.hasRemaining()) {
          channel.write(left);
        }
      } catch (ClosedChannelException e) {
        throw Failures.ofClosed("Socket closed", e);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  // ---- Options ----

  @Override
  public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
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
  public void setTcpNoDelay(boolean on) throws SocketException {
    ChannelOptions.set(channel, StandardSocketOptions.TCP_NODELAY, on);
  }

  @Override
  public boolean getTcpNoDelay() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.TCP_NODELAY);
  }

  @Override
  public void setSoLinger(boolean on, int seconds) throws SocketException {
    if (on && seconds < 0) {
      throw new IllegalArgumentException("invalid value for SO_LINGER");
    }
    ChannelOptions.set(
        channel, StandardSocketOptions.SO_LINGER, on ? Math.min(seconds, 65535) : -1);
  }

  @Override
  public int getSoLinger() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.SO_LINGER);
  }

  @Override
  public void sendUrgentData(int data) throws IOException {
    throw new SocketException("Urgent data not supported");
  }

  @Override
  public void setOOBInline(boolean on) throws SocketException {
    ChannelOptions.ensureOpen(channel);
    urgentInline = on;
  }

  @Override
  public boolean getOOBInline() throws SocketException {
    ChannelOptions.ensureOpen(channel);
    return urgentInline;
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
  public void setSendBufferSize(int octets) throws SocketException {
    ChannelOptions.set(
        channel, StandardSocketOptions.SO_SNDBUF, ChannelOptions.size(octets, "Invalid send size"));
  }

  @Override
  public int getSendBufferSize() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.SO_SNDBUF);
  }

  @Override
  public void setReceiveBufferSize(int octets) throws SocketException {
    ChannelOptions.set(
        channel,
        StandardSocketOptions.SO_RCVBUF,
        ChannelOptions.size(octets, "Invalid receive size"));
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.SO_RCVBUF);
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    ChannelOptions.set(channel, StandardSocketOptions.SO_KEEPALIVE, on);
  }

  @Override
  public boolean getKeepAlive() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.SO_KEEPALIVE);
  }

  @Override
  public void setTrafficClass(int value) throws SocketException {
    ChannelOptions.set(channel, StandardSocketOptions.IP_TOS, value);
  }

  @Override
  public int getTrafficClass() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.IP_TOS);
  }

  @Override
  public void setReuseAddress(boolean on) throws SocketException {
    ChannelOptions.set(channel, StandardSocketOptions.SO_REUSEADDR, on);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return ChannelOptions.get(channel, StandardSocketOptions.SO_REUSEADDR);
  }

  // ---- Ends ----

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public void shutdownInput() throws IOException {
    ensureConnected();
    if (channel.isInputClosed()) {
      throw new SocketException("Socket input is already shutdown");
    }
    channel.shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    ensureConnected();
    if (channel.isOutputClosed()) {
      throw new SocketException("Socket output is already shutdown");
    }
    channel.shutdownOutput();
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
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
  public boolean isInputShutdown() {
    return channel.isInputClosed();
  }

  @Override
  public boolean isOutputShutdown() {
    return channel.isOutputClosed();
  }

  @Override
  public String toString() {
    return isConnected()
        ? "Socket[addr="
            + getInetAddress()
            + ",port="
            + getPort()
            + ",localport="
            + getLocalPort()
            + "]"
        : "Socket[unconnected]";
  }
}
