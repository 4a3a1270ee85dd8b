package org.rddp.nio;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.rddp.client.streams.ProgramStream;

/**
 * A socket channel whose connection is rddp's or the kernel's, as the rules say when it connects.
 * Before that, a channel of the JDK's keeps what it is bound to and its options; for a connection
 * of the kernel's it does everything.
 */
final class RddpSocketChannel extends SocketChannel implements RddpChannel {
  /** How far it is. */
  private enum State {
    UNCONNECTED,
    PENDING,
    CONNECTED
  }

  private final RddpSelectorProvider provider;
  private final ProtocolFamily family;
  private final ReentrantLock readLock = new ReentrantLock();
  private final ReentrantLock writeLock = new ReentrantLock();

  /** Guards the making of {@link #socket}. */
  private final ReentrantLock socketLock = new ReentrantLock();

  private final Keys keys = new Keys();
  private volatile State state = State.UNCONNECTED;

  private final KernelSocketChannel kernel;
  private volatile boolean isKernels;

  /** Null until it connects over rddp. */
  private volatile StreamConnection connection;

  private volatile InetSocketAddress local;
  private volatile InetSocketAddress remote;

  /** What happens if nobody listens there over rddp. */
  private Rules.Decision decision;

  private ChannelSocket socket;

  /**
   * An unconnected channel.
   *
   * @param family null: both
   */
  RddpSocketChannel(RddpSelectorProvider provider, ProtocolFamily family) {
    super(provider);
    this.provider = provider;
    this.family = family;
    kernel = new KernelSocketChannel(this, family);
  }

  /** A connection that a listener has accepted. */
  RddpSocketChannel(RddpSelectorProvider provider, ProgramStream accepted) {
    this(provider, (ProtocolFamily) null);
    use(accepted);
    state = State.CONNECTED;
  }

  /** A connection that the kernel has accepted. */
  RddpSocketChannel(RddpSelectorProvider provider, SocketChannel accepted) throws IOException {
    super(provider);
    this.provider = provider;
    family = null;
    kernel = new KernelSocketChannel(this, accepted);
    isKernels = true;
    local = (InetSocketAddress) accepted.getLocalAddress();
    remote = (InetSocketAddress) accepted.getRemoteAddress();
    state = State.CONNECTED;
  }

  private void use(ProgramStream opened) {
    connection = new StreamConnection(opened, provider.polling());
    local = connection.local();
    remote = connection.remote();
  }

  private void ensureOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private void ensureConnected() throws ClosedChannelException {
    ensureOpen();
    if (state != State.CONNECTED) {
      throw new NotYetConnectedException();
    }
  }

  // ---- Addresses and options ----

  /** An address that a channel of this family can have; null: both families. */
  static InetSocketAddress checked(SocketAddress address, ProtocolFamily family) {
    Objects.requireNonNull(address);
    if (!(address instanceof InetSocketAddress inet)) {
      throw new UnsupportedAddressTypeException();
    }
    if (inet.isUnresolved()) {
      throw new UnresolvedAddressException();
    }
    if (family == StandardProtocolFamily.INET && !(inet.getAddress() instanceof Inet4Address)) {
      throw new UnsupportedAddressTypeException();
    }
    return inet;
  }

  @Override
  public SocketChannel bind(SocketAddress to) throws IOException {
    readLock.lock();
    writeLock.lock();
    try {
      ensureOpen();
      if (state == State.PENDING) {
        throw new ConnectionPendingException();
      }
      if (local != null) {
        throw new AlreadyBoundException();
      }
      InetSocketAddress address = to == null ? new InetSocketAddress(0) : checked(to, family);
      if (!provider.isAlone(address.getAddress())) {
        SocketChannel bound = kernel.opened();
        provider.bind(bound, address, 0);
        local = (InetSocketAddress) bound.getLocalAddress();
      } else {
        local = address;
      }
      return this;
    } finally {
      writeLock.unlock();
      readLock.unlock();
    }
  }

  @Override
  public SocketAddress getLocalAddress() throws IOException {
    ensureOpen();
    return local;
  }

  @Override
  public SocketAddress getRemoteAddress() throws IOException {
    ensureOpen();
    return remoteAddress();
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    kernel.opened().setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return kernel.opened().getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return provider.socketOptions();
  }

  @Override
  public Socket socket() {
    socketLock.lock();
    try {
      if (socket == null) {
        socket = ChannelSocket.of(this);
      }
      return socket;
    } finally {
      socketLock.unlock();
    }
  }

  InetSocketAddress localAddress() {
    return local;
  }

  InetSocketAddress remoteAddress() {
    return state == State.UNCONNECTED ? null : remote;
  }

  boolean isInputClosed() {
    StreamConnection used = connection;
    return used == null
        ? isKernels && kernel.channel().socket().isInputShutdown()
        : used.isInputClosed();
  }

  boolean isOutputClosed() {
    StreamConnection used = connection;
    return used == null
        ? isKernels && kernel.channel().socket().isOutputShutdown()
        : used.isOutputClosed();
  }

  // ---- Connecting ----

  @Override
  public boolean isConnected() {
    return isOpen() && state == State.CONNECTED;
  }

  @Override
  public boolean isConnectionPending() {
    return isOpen() && state == State.PENDING;
  }

  @Override
  public boolean connect(SocketAddress to) throws IOException {
    return connect(to, 0);
  }

  /**
   * Connects.
   *
   * @param nanos the longest time if the channel blocks; 0: no limit of its own
   */
  boolean connect(SocketAddress address, long nanos) throws IOException {
    InetSocketAddress to = checked(address, family);
    readLock.lock();
    writeLock.lock();
    try {
      ensureOpen();
      if (state == State.CONNECTED) {
        throw new AlreadyConnectedException();
      }
      if (state == State.PENDING) {
        throw new ConnectionPendingException();
      }
      try {
        return begin(provider.decide(to), to, nanos);
      } catch (IOException e) {
        close();
        throw e;
      }
    } finally {
      writeLock.unlock();
      readLock.unlock();
    }
  }

  private boolean begin(Rules.Decision made, InetSocketAddress to, long nanos) throws IOException {
    decision = made;
    remote = to;
    if (made.way() == Rules.Way.REFUSED) {
      throw new SocketException(
          "Permission denied: nothing connects to rddp's networks: " + made.why());
    }
    if (made.way() == Rules.Way.KERNEL) {
      return connectByKernel(nanos);
    }
    if (to.getPort() == 0) {
      throw new ConnectException("Connection refused"); // nobody can listen there
    }
    try {
      use(provider.daemon().connect(to, local, nanos));
      state = State.PENDING;
      if (!isOpen()) {
        connection.close(false);
        throw new AsynchronousCloseException();
      }
      keys.changed();
      return isBlocking() && awaitConnected(nanos);
    } catch (IOException e) {
      return kernelInstead(e, nanos);
    }
  }

  /** The kernel connects if the rules let it after this failure. */
  private boolean kernelInstead(IOException e, long nanos) throws IOException {
    if (!isOpen()
        || decision.way() != Rules.Way.RDDP_OR_KERNEL
        || !StreamDaemon.isAnswerOfHostWithoutListener(Failures.errno(e))
        || !provider.daemon().rules().isKernelNear(decision.network(), remote.getAddress())) {
      throw e;
    }
    StreamConnection failed = connection;
    if (failed != null) {
      connection = null;
      failed.close(false);
    }
    return connectByKernel(nanos);
  }

  private boolean connectByKernel(long nanos) throws IOException {
    SocketChannel opened = kernel.opened();
    isKernels = true;
    state = State.PENDING;
    boolean done = kernel.connect(remote, nanos);
    local = (InetSocketAddress) opened.getLocalAddress();
    // For the wildcard address the kernel takes the loopback's.
    remote = (InetSocketAddress) opened.getRemoteAddress();
    if (done) {
      state = State.CONNECTED;
    }
    keys.changed();
    return done;
  }

  /** Rounds up, to 1 at least. */
  static int millis(long nanos) {
    return (int) Math.clamp((nanos + 999_999) / 1_000_000, 1L, Integer.MAX_VALUE);
  }

  private boolean awaitConnected(long nanos) throws IOException {
    boolean done = false;
    try {
      begin();
      done = connection.connect(true, nanos);
      return connected();
    } finally {
      end(done);
    }
  }

  private boolean connected() {
    state = State.CONNECTED;
    keys.changed();
    return true;
  }

  @Override
  public boolean finishConnect() throws IOException {
    readLock.lock();
    writeLock.lock();
    try {
      ensureOpen();
      if (state == State.CONNECTED) {
        return true;
      }
      if (state != State.PENDING) {
        throw new NoConnectionPendingException();
      }
      try {
        return isKernels ? kernel.channel().finishConnect() && connected() : finish();
      } catch (IOException e) {
        close();
        throw e;
      }
    } finally {
      writeLock.unlock();
      readLock.unlock();
    }
  }

  private boolean finish() throws IOException {
    try {
      return isBlocking() ? awaitConnected(0) : connection.connect(false, 0) && connected();
    } catch (IOException e) {
      return kernelInstead(e, 0);
    }
  }

  // ---- Reading ----

  @Override
  public int read(ByteBuffer into) throws IOException {
    Objects.requireNonNull(into);
    return read(into, 0);
  }

  /**
   * Reads.
   *
   * @param nanos the longest time for the first octet if the channel blocks; 0: no limit
   * @throws SocketTimeoutException if none has come then
   */
  int read(ByteBuffer into, long nanos) throws IOException {
    if (into.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    readLock.lock();
    try {
      ensureConnected();
      if (isKernels) {
        return kernel.read(into, nanos);
      }
      boolean blocking = isBlocking();
      int octets = 0;
      try {
        if (blocking) {
          begin();
        }
        octets = connection.read(into, blocking, nanos);
        return octets;
      } finally {
        if (blocking) {
          end(octets > 0 || !into.hasRemaining());
        }
      }
    } finally {
      readLock.unlock();
    }
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    readLock.lock();
    try {
      ensureConnected();
      ensureWritable(into, offset, length);
      if (isKernels) {
        return kernel.read(into, offset, length);
      }
      if (isInputClosed()) {
        return -1;
      }
      long total = 0;
      for (int i = offset; i < offset + length; i++) {
        if (!into[i].hasRemaining()) {
          continue;
        }
        // Only the first octets are waited for.
        if (total > 0 && !hasOctets()) {
          break;
        }
        int octets;
        try {
          octets = read(into[i], 0);
        } catch (SocketException e) {
          if (total == 0) {
            throw e;
          }
          break; // The next call tells it.
        }
        if (octets < 0) {
          return total > 0 ? total : -1;
        }
        total += octets;
        if (into[i].hasRemaining()) {
          break;
        }
      }
      return total;
    } finally {
      readLock.unlock();
    }
  }

  /** Before the first octet is read, which would be lost. */
  private static void ensureWritable(ByteBuffer[] into, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (into[i].isReadOnly()) {
        throw new IllegalArgumentException("Read-only buffer");
      }
    }
  }

  /** Whether a read does not wait. */
  private boolean hasOctets() {
    return !isBlocking() || readyOperations(SelectionKey.OP_READ) != 0;
  }

  /** Octets that can be read without waiting. */
  int available() throws IOException {
    if (isKernels) {
      return kernel.available();
    }
    StreamConnection used = connection;
    return used == null ? 0 : used.available();
  }

  // ---- Writing ----

  @Override
  public int write(ByteBuffer from) throws IOException {
    Objects.requireNonNull(from);
    writeLock.lock();
    try {
      ensureConnected();
      if (isKernels) {
        return kernel.write(from);
      }
      boolean blocking = isBlocking();
      int before = from.remaining();
      try {
        if (blocking) {
          begin();
        }
        connection.write(from, blocking);
        return before - from.remaining();
      } finally {
        if (blocking) {
          endWriting(from.remaining() < before || before == 0);
        }
      }
    } finally {
      writeLock.unlock();
    }
  }

  private void endWriting(boolean completed) throws AsynchronousCloseException {
    end(completed);
    if (!completed && connection.isOutputClosed()) {
      throw new AsynchronousCloseException();
    }
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    writeLock.lock();
    try {
      ensureConnected();
      for (int i = offset; i < offset + length; i++) {
        Objects.requireNonNull(from[i]);
      }
      if (isKernels) {
        return kernel.write(from, offset, length);
      }
      if (isOutputClosed()) {
        throw new ClosedChannelException();
      }
      long total = 0;
      for (int i = offset; i < offset + length; i++) {
        try {
          total += from[i].hasRemaining() ? write(from[i]) : 0;
        } catch (SocketException e) {
          if (total == 0) {
            throw e;
          }
          break; // The next call tells it.
        }
        if (from[i].hasRemaining()) {
          break;
        }
      }
      return total;
    } finally {
      writeLock.unlock();
    }
  }

  // ---- Ends ----

  @Override
  public SocketChannel shutdownInput() throws IOException {
    ensureConnected();
    if (isKernels) {
      kernel.channel().shutdownInput();
    } else if (!isInputClosed()) {
      connection.endReceiving();
      keys.changed();
    }
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() throws IOException {
    ensureConnected();
    if (isKernels) {
      kernel.channel().shutdownOutput();
    } else if (!isOutputClosed()) {
      connection.endSending();
      keys.changed();
    }
    return this;
  }

  @Override
  protected void implCloseSelectableChannel() throws IOException {
    StreamConnection used = connection;
    if (used != null) {
      used.close(kernel.resetsAtClose());
    }
    kernel.close();
  }

  @Override
  protected void implConfigureBlocking(boolean blocking) throws IOException {
    readLock.lock();
    writeLock.lock();
    try {
      if (kernel.channel() != null) {
        keys.release();
      }
      kernel.configureBlocking(blocking);
    } finally {
      writeLock.unlock();
      readLock.unlock();
    }
  }

  // ---- For selectors ----

  @Override
  public SelectableChannel kernelPart() {
    return isKernels ? kernel.channel() : null;
  }

  @Override
  public Shared<?> rddpPart() {
    StreamConnection used = connection;
    return used == null ? null : used.shared();
  }

  @Override
  public int readyOperations(int interest) {
    StreamConnection used = connection;
    return used == null ? 0 : used.readyOperations(interest, state == State.PENDING);
  }

  @Override
  public void arm(int interest, boolean told) {
    StreamConnection used = connection;
    if (used != null) {
      used.arm(interest, state == State.PENDING, told);
    }
  }

  @Override
  public Keys keys() {
    return keys;
  }

  @Override
  public String toString() {
    return "RddpSocketChannel["
        + (isOpen() ? state + ", local " + local + ", remote " + remote : "closed")
        + "]";
  }

  /** A time in ns. */
  static long nanos(int millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
