package org.rddp.nio;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.rddp.client.Rddp;

/**
 * Socket channels over rddp. Programs take it without a change, by {@code
 * -Djava.nio.channels.spi.SelectorProvider=org.rddp.nio.RddpSelectorProvider}, or use an instance.
 *
 * <p>A connection to an address in a network of the daemon's interfaces is an octet stream of the
 * daemon, unless a rule says otherwise; the rules are those of {@code rddp sockets}. Other
 * connections, datagrams, pipes and Unix-domain sockets are the JDK's own, and a selector of this
 * provider takes both kinds.
 *
 * <p>The daemon is the one at {@code $RDDP_SOCKET}, or {@code /run/rddp/rddpd.sock}. A session is
 * opened with the first connection or listener. Calls and selections poll for {@code
 * $RDDP_SOCKETS_SPIN} microseconds before they sleep, 100 without it, where that has paid lately.
 * Thread-safe.
 */
public final class RddpSelectorProvider extends SelectorProvider {
  private static final class Options {
    static final Set<SocketOption<?>> OF_SOCKETS = find();

    private static Set<SocketOption<?>> find() {
      try (SocketChannel any = Kernel.provider().openSocketChannel()) {
        return any.supportedOptions();
      } catch (IOException e) {
        throw new IllegalStateException("the kernel gives no socket", e);
      }
    }
  }

  /**
   * Longer than a round trip whose threads sleep (40 to 60 us), or threads that once sleep would
   * not find that polling pays.
   */
  private static final Duration POLLING = Duration.ofNanos(100_000);

  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final Path path;
  private final Duration polling;
  private volatile StreamDaemon daemon;

  /** A provider for the daemon that the environment names; what the JDK calls for the property. */
  public RddpSelectorProvider() {
    this(Rddp.defaultSocket());
  }

  /**
   * A provider for a daemon.
   *
   * @param daemonSocket path of its control socket
   */
  public RddpSelectorProvider(Path daemonSocket) {
    this(daemonSocket, polling(System.getenv("RDDP_SOCKETS_SPIN")));
  }

  /**
   * A provider for a daemon, whose channels and selectors poll for a time of the program's choice.
   *
   * @param daemonSocket path of its control socket
   * @param polling the longest time before a thread sleeps, from 0, with which it sleeps at once,
   *     to a second
   * @throws IllegalArgumentException if the time is not in that range
   */
  public RddpSelectorProvider(Path daemonSocket, Duration polling) {
    if (polling.isNegative() || polling.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("polling for " + polling + ": 0 to " + LONGEST);
    }
    path = daemonSocket;
    this.polling = polling;
  }

  /** What a value of the variable means; as in librddp-sockets, a wrong one is none. */
  static Duration polling(String micros) {
    boolean valid = micros != null && micros.matches("[0-9]{1,7}");
    Duration said = valid ? Duration.of(Long.parseLong(micros), ChronoUnit.MICROS) : POLLING;
    return said.compareTo(LONGEST) > 0 ? POLLING : said;
  }

  /** The longest time, in ns, for which a thread polls before it sleeps. */
  long polling() {
    return polling.toNanos();
  }

  /** Made late: while the JDK constructs its provider, nothing may ask for it. */
  StreamDaemon daemon() {
    StreamDaemon made = daemon;
    if (made == null) {
      synchronized (this) {
        made = daemon;
        if (made == null) {
          made = new StreamDaemon(path, System.getenv());
          daemon = made;
        }
      }
    }
    return made;
  }

  Rules.Decision decide(InetSocketAddress to) {
    StreamDaemon with = daemon();
    return with.rules().decide(with.networks(), to.getAddress(), to.getPort());
  }

  /** Whether the daemon has interfaces. */
  boolean hasNetworks() {
    return !daemon().networks().isEmpty();
  }

  /** Whether an interface of the daemon has the address. */
  boolean isRddps(InetAddress address) {
    return daemon().networks().stream().anyMatch(each -> each.address().equals(address));
  }

  /** Whether an interface of the daemon has the address, and the kernel does not. */
  boolean isAlone(InetAddress address) {
    return !address.isAnyLocalAddress() && isRddps(address) && !isOfKernel(address);
  }

  /** Binds a socket of the kernel's. Says so if only a daemon could have the address. */
  void bind(NetworkChannel channel, InetSocketAddress to, int backlog) throws IOException {
    try {
      if (channel instanceof ServerSocketChannel listener) {
        listener.bind(to, backlog);
      } else {
        channel.bind(to);
      }
    } catch (BindException e) {
      String absence = daemon().absence();
      if (absence == null || to.getAddress().isAnyLocalAddress() || isOfKernel(to.getAddress())) {
        throw e;
      }
      String why = ": the kernel does not have the address, and " + absence;
      throw Failures.caused(new BindException(e.getMessage() + why), e);
    }
  }

  private boolean isOfKernel(InetAddress address) {
    return daemon().rules().isOfKernel(address);
  }

  Set<SocketOption<?>> socketOptions() {
    return Options.OF_SOCKETS;
  }

  @Override
  public SocketChannel openSocketChannel() {
    return new RddpSocketChannel(this, (ProtocolFamily) null);
  }

  /** Opens a socket channel; one of the family UNIX is the JDK's own. */
  @Override
  public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
    return isInternet(family)
        ? new RddpSocketChannel(this, family)
        : Kernel.provider().openSocketChannel(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel() throws IOException {
    return new RddpServerSocketChannel(this, null);
  }

  /** Opens a listener; one of the family UNIX is the JDK's own. */
  @Override
  public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
    return isInternet(family)
        ? new RddpServerSocketChannel(this, family)
        : Kernel.provider().openServerSocketChannel(family);
  }

  private static boolean isInternet(ProtocolFamily family) {
    return family == StandardProtocolFamily.INET || family == StandardProtocolFamily.INET6;
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    return new RddpSelector(this);
  }

  @Override
  public DatagramChannel openDatagramChannel() throws IOException {
    return Kernel.provider().openDatagramChannel();
  }

  @Override
  public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
    return Kernel.provider().openDatagramChannel(family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    return Kernel.provider().openPipe();
  }

  @Override
  public Channel inheritedChannel() throws IOException {
    return Kernel.provider().inheritedChannel();
  }
}
