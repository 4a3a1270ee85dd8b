package org.rddp.nio;

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
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.ipc.control.ProgramMessage.StreamListen;
import org.rddp.ipc.ring.AdaptivePolling;

/** A listener at the kernel's addresses, at rddp's, or for the wildcard address at both. */
final class RddpServerSocketChannel extends ServerSocketChannel implements RddpChannel {
  private static final int BACKLOG = 50;

  /** How often a free port is looked for that is free on both sides. */
  private static final int TRIES = 16;

  /** Options that matter before a socket is bound. */
  private static final List<SocketOption<?>> KEPT =
      List.of(
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT);

  private final RddpSelectorProvider provider;
  private final ProtocolFamily family;
  private final ReentrantLock acceptLock = new ReentrantLock();
  private final ReentrantLock partsLock = new ReentrantLock();
  private final Keys keys = new Keys();
  private final AdaptivePolling polling;

  /**
   * Keeps options, and listens if an address is the kernel's. Never null once something needs it.
   */
  private volatile ServerSocketChannel kernel;

  private volatile boolean listensByKernel;

  /** Its mode; {@link #isBlocking} says so only once that is set here. Under the accept lock. */
  private boolean blocking = true;

  /** Null: nothing listens over rddp. */
  private volatile StreamListener streams;

  private volatile InetSocketAddress local;
  private volatile Waiter acceptor;

  /** In which one who accepts sleeps, unless {@link #acceptor} is enough. */
  private volatile AcceptSelector sleeping;

  private ServerSocket socket;

  RddpServerSocketChannel(RddpSelectorProvider provider, ProtocolFamily family) throws IOException {
    super(provider);
    this.provider = provider;
    this.family = family;
    polling = new AdaptivePolling(provider.polling());
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
        to == null ? new InetSocketAddress(0) : RddpSocketChannel.checked(to, family);
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
        streams = listen(address, most);
        local = new InetSocketAddress(at, streams.port());
      } else {
        bindBoth(address, most, provider.isRddps(at));
      }
      keys.changed();
      return this;
    } finally {
      if (!isOpen()) {
        closeParts(); // those made after another thread has closed the channel
      }
      acceptLock.unlock();
    }
  }

  private int flags() throws IOException {
    return kernel.getOption(StandardSocketOptions.SO_REUSEPORT) ? StreamListen.REUSE_PORT : 0;
  }

  private StreamListener listen(InetSocketAddress at, int backlog) throws IOException {
    return new StreamListener(provider.daemon(), at, backlog, flags(), this::changed);
  }

  private void changed() {
    keys.changed();
    wake();
  }

  private void wake() {
    Waiter waiting = acceptor;
    if (waiting != null) {
      waiting.wake();
    }
    AcceptSelector selecting = sleeping;
    if (selecting != null) {
      selecting.wakeup();
    }
  }

  /** The kernel chooses the port; one that it alone has free is given back. */
  private void bindBoth(InetSocketAddress address, int backlog, boolean rddp) throws IOException {
    for (int tried = 1; ; tried++) {
      provider.bind(kernel, address, backlog);
      InetSocketAddress bound = (InetSocketAddress) kernel.getLocalAddress();
      try {
        if (rddp) {
          streams = listen(atRddp(bound), backlog);
        }
        local = bound;
        listensByKernel = true;
        kernel.configureBlocking(streams == null && blocking);
        return;
      } catch (IOException e) {
        renewKernel();
        if (!(e instanceof BindException) || address.getPort() != 0 || tried == TRIES) {
          throw e;
        }
      }
    }
  }

  /** A socket can be bound once only, so the next attempt needs another one. */
  private void renewKernel() throws IOException {
    ServerSocketChannel bound = kernel;
    try (bound) {
      ServerSocketChannel made = openKernel();
      kernel = made;
      for (SocketOption<?> each : KEPT) {
        copy(each, bound, made);
      }
    }
  }

  private static <T> void copy(SocketOption<T> name, NetworkChannel from, NetworkChannel to)
      throws IOException {
    to.setOption(name, from.getOption(name));
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
    kernel.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
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
      if (streams == null) {
        return acceptByKernel(nanos);
      }
      return isBlocking() ? awaitAccepted(nanos) : acceptNow();
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
    ProgramStream stream = streams.take();
    return stream == null ? null : new RddpSocketChannel(provider, stream);
  }

  private SocketChannel awaitAccepted(long nanos) throws IOException {
    SocketChannel accepted = null;
    try {
      begin();
      accepted = acceptNow();
      if (accepted == null) {
        polls();
      }
      long end = System.nanoTime() + nanos;
      while (isOpen() && accepted == null) {
        acceptor = Waiter.current();
        accepted = acceptNow();
        long left = nanos == 0 ? Waiter.LONGEST : end - System.nanoTime();
        if (accepted == null && left <= 0) {
          throw new SocketTimeoutException("Accept timed out");
        }
        if (accepted == null && isOpen()) {
          sleep(left);
        }
      }
      return accepted;
    } finally {
      acceptor = null;
      endAccepting(accepted);
    }
  }

  private void endAccepting(SocketChannel accepted) throws IOException {
    try {
      end(accepted != null);
    } catch (ClosedByInterruptException e) {
      if (accepted != null) {
        accepted.close(); // nobody gets it
      }
      throw e;
    }
  }

  /** Polls for as long as pays. */
  private void polls() {
    polling.begin();
    while (isOpen() && polling.goesOn()) {
      if (streams.isOffered()) {
        polling.succeed();
        return;
      }
    }
  }

  private void sleep(long left) throws IOException {
    Shared<ProgramListener> part = streams.part();
    if (listensByKernel || part == null) {
      sleepInSelector(part, left);
    } else if (part.acquire() != null) {
      try {
        acceptor.await(part.descriptor(), Waiter.Event.IN, left);
      } finally {
        part.release();
      }
    }
  }

  private void sleepInSelector(Shared<ProgramListener> part, long left) throws IOException {
    AcceptSelector used = sleeping;
    if (used == null || !used.isOf(part)) {
      if (used != null) {
        used.close();
      }
      used = new AcceptSelector(listensByKernel ? kernel : null, part);
      sleeping = used;
      if (!isOpen()) {
        used.close();
      }
      if (part != streams.part()) {
        return;
      }
    }
    used.sleep(left);
    if (Thread.currentThread().isInterrupted()) {
      close();
      throw new ClosedByInterruptException();
    }
  }

  // ---- Ends ----

  @Override
  protected void implCloseSelectableChannel() throws IOException {
    closeParts();
  }

  private void closeParts() throws IOException {
    if (streams != null) {
      streams.close();
    }
    wake();
    kernel.close();
    AcceptSelector used = sleeping;
    if (used != null) {
      used.close();
    }
  }

  @Override
  protected void implConfigureBlocking(boolean blocks) throws IOException {
    // With listeners on both sides the kernel's never blocks.
    acceptLock.lock();
    try {
      if (streams == null) {
        keys.release();
        kernel.configureBlocking(blocks);
      }
      blocking = blocks;
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
    return streams == null ? null : streams.part();
  }

  @Override
  public int readyOperations(int interest) {
    boolean accepts = (interest & SelectionKey.OP_ACCEPT) != 0 && streams != null;
    return accepts && streams.isOffered() ? SelectionKey.OP_ACCEPT : 0;
  }

  /** Its socket becomes readable by itself. */
  @Override
  public void arm(int interest, boolean told) {}

  @Override
  public Keys keys() {
    return keys;
  }

  @Override
  public String toString() {
    return "RddpServerSocketChannel[" + (isOpen() ? local : "closed") + "]";
  }
}
