package org.rddp.daemon.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.snapshot.Snapshot;

/**
 * A program's listener for octet streams, on all engines of all interfaces that have its address.
 * Thread-safe.
 */
public final class StreamListener {
  private final int number;
  private final HostAddress address;
  private final boolean onlyIpv6;
  private final boolean reusesPort;
  private final long socket;
  private final int port;
  private final StreamSection[] sections;
  private long openedAt = System.nanoTime();
  private volatile int backlog;
  private volatile boolean closed;

  /** Streams that have been asked for and that no program has accepted yet. */
  private final AtomicInteger waiting = new AtomicInteger();

  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  /**
   * Creates a listener.
   *
   * @param number in the daemon
   * @param address one of an interface, {@code 0.0.0.0}: any of IPv4, or {@code ::}: any
   * @param onlyIpv6 whether {@code ::} does not stand for addresses of IPv4
   * @param reusesPort whether others that say so, too, may have the same address and port
   * @param socket the number of the kernel's socket beside it; 0: none
   * @param sections the program's, by engine
   */
  public StreamListener(
      int number,
      HostAddress address,
      boolean onlyIpv6,
      boolean reusesPort,
      long socket,
      int port,
      int backlog,
      StreamSection[] sections) {
    this.number = number;
    this.address = address;
    this.onlyIpv6 = onlyIpv6;
    this.reusesPort = reusesPort;
    this.socket = socket;
    this.port = port;
    this.backlog = backlog;
    this.sections = sections;
  }

  /** Its number in the daemon. */
  public int number() {
    return number;
  }

  /** The address at which it listens. */
  public HostAddress address() {
    return address;
  }

  /** The port. */
  public int port() {
    return port;
  }

  /** Whether another one of the same user may have the same address and port. */
  public boolean sharesPort(boolean otherReusesPort, long otherSocket) {
    return (reusesPort && otherReusesPort) || (socket != 0 && socket == otherSocket);
  }

  /** Whether it takes IPv6 only. */
  public boolean onlyIpv6() {
    return onlyIpv6;
  }

  /** The program's streams on an engine; null if it has none there. */
  StreamSection section(Engine engine) {
    for (StreamSection each : sections) {
      if (each.engine() == engine) {
        return each;
      }
    }
    return null;
  }

  /** How well it fits an address: 0 not at all, more the more special it is. */
  int fitness(HostAddress local) {
    if (!ControlAddresses.isAny(address)) {
      return address.equals(local) ? 3 : 0;
    }
    if (address instanceof Ipv4Address) {
      return local instanceof Ipv4Address ? 2 : 0;
    }
    return local instanceof Ipv4Address ? (onlyIpv6 ? 0 : 1) : 2;
  }

  /** Whether an address may be asked for at both. */
  public boolean overlaps(HostAddress other, boolean otherOnlyIpv6) {
    boolean any = ControlAddresses.isAny(address);
    boolean otherAny = ControlAddresses.isAny(other);
    if (!any && !otherAny) {
      return address.equals(other);
    }
    boolean four = address instanceof Ipv4Address;
    boolean otherFour = other instanceof Ipv4Address;
    if (four == otherFour) {
      return true;
    }
    return four ? otherAny && !otherOnlyIpv6 : any && !onlyIpv6;
  }

  /** The listener at this moment. */
  public ListenerStatus status() {
    return new ListenerStatus(
        number,
        address,
        port,
        System.nanoTime() - openedAt,
        backlog,
        waiting(),
        0,
        asked(),
        refused());
  }

  /** The most streams that wait. */
  public int backlog() {
    return backlog;
  }

  /** Changes the most streams that wait. */
  public void backlog(int most) {
    backlog = most;
  }

  /** Streams that wait to be accepted. */
  public int waiting() {
    return waiting.get();
  }

  /** Peers refused since too many waited. */
  public long refused() {
    return refused.get();
  }

  /** Peers that have asked for it and were not refused. */
  public long asked() {
    return asked.get();
  }

  /** Adds a stream that waits, unless too many do. The kernel, too, lets one more wait. */
  public boolean enter() {
    if (!closed && waiting.incrementAndGet() <= backlog + 1) {
      asked.incrementAndGet();
      return true;
    }
    if (!closed) {
      waiting.decrementAndGet();
    }
    refused.incrementAndGet();
    return false;
  }

  /** A stream waits that has waited before, when the listener goes on in another daemon. */
  void waitAgain() {
    waiting.incrementAndGet();
  }

  /**
   * Transfers a listener with what it was made of; see {@link #transfer(Snapshot)}.
   *
   * @param written null when it is read
   * @param sections of its program, for the reader
   * @return the listener
   */
  public static StreamListener transfer(
      Snapshot snapshot, StreamListener written, StreamSection[] sections) {
    boolean reads = written == null;
    snapshot.begin(StreamListener.class);
    int number = snapshot.number("number", reads ? 0 : written.number);
    HostAddress address = HostAddress.transfer(snapshot, reads ? null : written.address);
    boolean onlyIpv6 = snapshot.flag("onlyIpv6", !reads && written.onlyIpv6);
    boolean reusesPort = snapshot.flag("reusesPort", !reads && written.reusesPort);
    long socket = snapshot.number("socket", reads ? 0 : written.socket);
    int port = snapshot.number("port", reads ? 0 : written.port);
    snapshot.end();
    StreamListener listener =
        reads
            ? new StreamListener(number, address, onlyIpv6, reusesPort, socket, port, 0, sections)
            : written;
    listener.transfer(snapshot);
    return listener;
  }

  /**
   * Transfers it, once for all engines, when it is not in use. When read, nothing waits; the
   * streams that wait follow.
   */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(StreamListener.class);
    openedAt = snapshot.number("openedAt", openedAt);
    backlog = snapshot.number("backlog", backlog);
    closed = snapshot.flag("closed", closed);
    asked.set(snapshot.number("asked", asked.get()));
    refused.set(snapshot.number("refused", refused.get()));
    snapshot.end();
  }

  /** A stream waits no more. */
  public void leave() {
    waiting.decrementAndGet();
  }

  /** Takes no more streams. */
  public void close() {
    closed = true;
  }

  /** Whether it takes no more streams. */
  public boolean isClosed() {
    return closed;
  }
}
