package org.rddp.nio;

import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.rddp.client.RefusedException;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.ipc.control.ProgramMessage.StreamListen;
import org.rddp.ipc.ring.AdaptivePolling;

/** A listener at the kernel's addresses, at rddp's, or for the wildcard address at both. */
final class RddpServerSocketChannel extends ServerSocketChannel implements RddpChannel {
  private static final int BACKLOG = 50;

  /** How often a free port is looked for that is free on both sides. */
  private static final int TRIES = 16;

  private final RddpSelectorProvider provider;
  private final ProtocolFamily family;
  private final ReentrantLock acceptLock = new ReentrantLock();
  private final ReentrantLock partsLock = new ReentrantLock();
  private final Keys keys = new Keys();
  private final AdaptivePolling polling = new AdaptivePolling(StreamConnection.POLLING);

  /**
   * Keeps options, and listens if an address is the kernel's. Never null once something needs it.
   */
  private ServerSocketChannel kernel;

  private volatile boolean listensByKernel;
  private volatile Shared<ProgramListener> listener;
  private volatile InetSocketAddress local;

  /** A stream that was received to find out whether there is one; under {@link #offerLock}. */
  private ProgramStream offered;

  private final ReentrantLock offerLock = new ReentrantLock();
  private volatile Waiter acceptor;
  private volatile Selector bothWays;
  private ServerSocket socket;

  RddpServerSocketChannel(RddpSelectorProvider provider, ProtocolFamily family) throws IOException {
    super(provider);
    this.provider = provider;
    this.family = family;
    kernel = openKernel();
  }

  private ServerSocketChannel openKernel() throws IOException {
    return family == null
        ? Kernel.provider().openServerSocketChannel()
        : Kernel.provider().openServerSocketChannel(family);
  }

  private void ensureOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  // ---- Binding ----

  @Override
  public ServerSocketChannel bind(SocketAddress to, int backlog) throws IOException {
    InetSocketAddress address =
        to == null ? new InetSocketAddress(0) : RddpSocketChannel.checked(to);
    int most = backlog < 1 ? BACKLOG : Math.min(backlog, 65535);
    acceptLock.lock();
    try {
      ensureOpen();
      if (local != null) {
        throw new AlreadyBoundException();
      }
      InetAddress at = address.getAddress();
      if (at.isAnyLocalAddress()) {
        bindBoth(address, most, provider.hasNetworks());
      } else if (provider.isAlone(at)) {
        ProgramListener made = provider.daemon().listen(address, most, flags());
        use(made, new InetSocketAddress(at, made.port()));
      } else {
        bindBoth(address, most, provider.isRddps(at));
      }
      keys.changed();
      return this;
    } finally {
      acceptLock.unlock();
    }
  }

  private int flags() throws IOException {
    return kernel.getOption(StandardSocketOptions.SO_REUSEPORT) ? StreamListen.REUSE_PORT : 0;
  }

  private void use(ProgramListener made, InetSocketAddress at) {
    listener = new Shared<>(made, made.descriptor(), () -> end(made), made::close);
    local = at;
  }

  private static void end(ProgramListener ended) {
    try {
      ended.end();
    } catch (IOException | RefusedException e) {
      // The daemon has ended, and the listener with it.
    }
  }

  /** The kernel chooses the port; one that it alone has free is given back. */
  private void bindBoth(InetSocketAddress address, int backlog, boolean rddp) throws IOException {
    for (int tried = 1; ; tried++) {
      kernel.bind(address, backlog);
      InetSocketAddress bound = (InetSocketAddress) kernel.getLocalAddress();
      try {
        if (rddp) {
          use(provider.daemon().listen(atRddp(bound), backlog, flags()), bound);
        }
        local = bound;
        listensByKernel = true;
        kernel.configureBlocking(listener == null && isBlocking());
        return;
      } catch (IOException e) {
        kernel.close();
        kernel = openKernel();
        if (!(e instanceof BindException) || address.getPort() != 0 || tried == TRIES) {
          throw e;
        }
      }
    }
  }

  /** The daemon takes {@code ::} for both families, as Java takes either wildcard address. */
  private InetSocketAddress atRddp(InetSocketAddress bound) throws IOException {
    boolean both = bound.getAddress().isAnyLocalAddress() && family != StandardProtocolFamily.INET;
    return both
        ? new InetSocketAddress(InetAddress.getByAddress(new byte[16]), bound.getPort())
        : bound;
  }

  @Override
  public SocketAddress getLocalAddress() throws IOException {
    ensureOpen();
    return local;
  }

  InetSocketAddress localAddress() {
    return local;
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    ensureOpen();
    kernel.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    ensureOpen();
    return kernel.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return kernel.supportedOptions();
  }

  @Override
  public ServerSocket socket() {
    partsLock.lock();
    try {
      if (socket == null) {
        socket = ChannelServerSocket.of(this);
      }
      return socket;
    } finally {
      partsLock.unlock();
    }
  }

  // ---- Accepting ----

  @Override
  public SocketChannel accept() throws IOException {
    return accept(0);
  }

  /**
   * Accepts.
   *
   * @param nanos the longest time if the channel blocks; 0: no limit
   * @return null if none waits and the channel does not block
   * @throws SocketTimeoutException if none comes in time
   */
  SocketChannel accept(long nanos) throws IOException {
    acceptLock.lock();
    try {
      ensureOpen();
      if (local == null) {
        throw new NotYetBoundException();
      }
      if (listener == null) {
        return acceptByKernel(nanos);
      }
      SocketChannel accepted = acceptNow();
      return accepted != null || !isBlocking() ? accepted : awaitAccepted(nanos);
    } finally {
      acceptLock.unlock();
    }
  }

  private SocketChannel acceptByKernel(long nanos) throws IOException {
    try {
      if (nanos == 0 || !isBlocking()) {
        return ofKernel(kernel.accept());
      }
      kernel.socket().setSoTimeout(RddpSocketChannel.millis(nanos));
      return ofKernel(kernel.socket().accept().getChannel());
    } catch (ClosedByInterruptException e) {
      close();
      throw e;
    }
  }

  private SocketChannel ofKernel(SocketChannel accepted) throws IOException {
    return accepted == null ? null : new RddpSocketChannel(provider, accepted);
  }

  private SocketChannel acceptNow() throws IOException {
    SocketChannel accepted = listensByKernel ? ofKernel(kernel.accept()) : null;
    if (accepted != null) {
      return accepted;
    }
    Shared<ProgramListener> used = listener;
    ProgramListener own = used.acquire();
    if (own == null) {
      throw new AsynchronousCloseException();
    }
    try {
      ProgramStream stream = take(own);
      return stream == null ? null : new RddpSocketChannel(provider, stream);
    } finally {
      used.release();
    }
  }

  private ProgramStream take(ProgramListener from) throws IOException {
    offerLock.lock();
    try {
      ProgramStream first = offered;
      offered = null;
      return first == null ? from.accept(Duration.ZERO) : first;
    } catch (EOFException e) {
      if (listensByKernel) {
        return null;
      }
      throw Failures.caused(new java.net.SocketException("The daemon has ended"), e);
    } finally {
      offerLock.unlock();
    }
  }

  private SocketChannel awaitAccepted(long nanos) throws IOException {
    polling.begin();
    while (isOpen() && polling.goesOn()) {
      if (isOffered()) {
        polling.succeed();
        return acceptNow();
      }
    }
    long end = System.nanoTime() + nanos;
    SocketChannel accepted = null;
    try (Selector both = listensByKernel ? watchBoth() : null) {
      bothWays = both;
      begin();
      while (isOpen() && accepted == null) {
        acceptor = Waiter.current();
        accepted = acceptNow();
        long left = nanos == 0 ? Waiter.LONGEST : end - System.nanoTime();
        if (accepted == null && left <= 0) {
          throw new SocketTimeoutException("Accept timed out");
        }
        if (accepted == null && isOpen()) {
          sleep(both, left);
        }
      }
      return accepted;
    } finally {
      acceptor = null;
      bothWays = null;
      end(accepted != null);
    }
  }

  private Selector watchBoth() throws IOException {
    Selector both = Kernel.provider().openSelector();
    try {
      kernel.register(both, SelectionKey.OP_ACCEPT);
      JdkDescriptor.over(listener.descriptor()).register(both, SelectionKey.OP_READ);
      return both;
    } catch (IOException | RuntimeException e) {
      both.close();
      throw e;
    }
  }

  private void sleep(Selector both, long left) throws IOException {
    if (both == null) {
      acceptor.await(listener.descriptor(), Waiter.Event.IN, left);
      return;
    }
    both.select(RddpSocketChannel.millis(Math.min(left, Waiter.LONGEST)));
    both.selectedKeys().clear();
    if (Thread.currentThread().isInterrupted()) {
      close();
      throw new ClosedByInterruptException();
    }
  }

  private boolean isOffered() {
    Shared<ProgramListener> used = listener;
    ProgramListener own = used == null ? null : used.acquire();
    if (own == null) {
      return false;
    }
    offerLock.lock();
    try {
      if (offered == null) {
        offered = own.accept(Duration.ZERO);
      }
      return offered != null;
    } catch (IOException e) {
      // accept() tells it.
      return !listensByKernel;
    } finally {
      offerLock.unlock();
      used.release();
    }
  }

  // ---- Ends ----

  @Override
  protected void implCloseSelectableChannel() throws IOException {
    Shared<ProgramListener> used = listener;
    if (used != null) {
      used.close();
    }
    Waiter waiting = acceptor;
    if (waiting != null) {
      waiting.wake();
    }
    Selector both = bothWays;
    if (both != null) {
      both.wakeup();
    }
    kernel.close();
    offerLock.lock();
    try {
      if (offered != null) {
        offered.abortAtClose();
        offered.close();
        offered = null;
      }
    } finally {
      offerLock.unlock();
    }
  }

  @Override
  protected void implConfigureBlocking(boolean blocking) throws IOException {
    // With listeners on both sides the kernel's never blocks.
    acceptLock.lock();
    try {
      if (listener == null) {
        keys.release();
        kernel.configureBlocking(blocking);
      }
    } finally {
      acceptLock.unlock();
    }
  }

  // ---- For selectors ----

  @Override
  public SelectableChannel kernelPart() {
    return listensByKernel ? kernel : null;
  }

  @Override
  public Shared<?> rddpPart() {
    return listener;
  }

  @Override
  public int readyOperations(int interest) {
    return (interest & SelectionKey.OP_ACCEPT) != 0 && isOffered() ? SelectionKey.OP_ACCEPT : 0;
  }

  /** Its socket becomes readable by itself. */
  @Override
  public void arm(int interest) {}

  @Override
  public Keys keys() {
    return keys;
  }

  @Override
  public String toString() {
    return "RddpServerSocketChannel[" + (isOpen() ? local : "closed") + "]";
  }
}
