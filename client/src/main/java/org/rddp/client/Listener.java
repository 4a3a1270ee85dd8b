package org.rddp.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;

/** Listens for connections at a port. Thread-safe. */
public final class Listener implements AutoCloseable {
  private final Rddp session;
  private volatile int id;
  private final IpAddress asked;
  private final InetSocketAddress address;
  private final int backlog;
  private final ConnectionOptions options;

  /** Requests that the program has not taken, by number, in the order of their arrival. */
  private final LinkedHashMap<Integer, IncomingConnection> waiting = new LinkedHashMap<>();

  private volatile boolean closed;

  /**
   * A listener in the daemon.
   *
   * @param asked the address that the program asked for
   */
  Listener(
      Rddp session,
      IpAddress asked,
      DaemonMessage.Listening listening,
      int backlog,
      ConnectionOptions options) {
    this.session = session;
    this.asked = asked;
    this.backlog = backlog;
    this.options = options;
    this.id = listening.listener();
    this.address = InetAddresses.address(listening.address(), listening.port());
  }

  /**
   * The local address and port. For a listener at the wildcard, the interface's IPv4 address, or
   * its configured IPv6 address if it has none; see {@link #addresses}.
   */
  public InetSocketAddress address() {
    return address;
  }

  /**
   * The addresses, with the port, that peers can connect to: {@link #address}, and for a listener
   * at the wildcard also the interface's other addresses: the configured IPv6 address, then the
   * link-local one, which works only on the same link. Includes IPv6 addresses that are duplicates
   * of another host's. Asks the daemon at each call and waits for the answer, at most for the
   * request timeout of the session's options.
   *
   * @return at least one address
   * @throws SessionLostException if the session is lost
   * @throws RefusedException if the daemon refuses to list its interfaces
   */
  public List<InetSocketAddress> addresses() {
    if (!asked.equals(IpAddress.ANY)) {
      return List.of(address);
    }
    return DaemonInterface.list(session.channel()).stream()
        .filter(each -> each.name().equals(session.interfaceName()))
        .flatMap(each -> each.addresses().stream())
        .map(each -> new InetSocketAddress(each, address.getPort()))
        .toList();
  }

  /** The options of every connection. */
  ConnectionOptions options() {
    return options;
  }

  /**
   * Returns the next connection request. A request that ends before that is dropped.
   *
   * @return null if there is none
   * @throws SessionLostException if the session is lost
   */
  @CheckReturnValue
  public synchronized IncomingConnection poll() {
    if (closed) {
      throw new IllegalStateException("the listener is closed");
    }
    Map.Entry<Integer, IncomingConnection> next = waiting.pollFirstEntry();
    if (next == null) {
      session.daemon().throwIfEnded();
      return null;
    }
    return next.getValue();
  }

  /**
   * Waits for a connection request.
   *
   * @return null at the timeout
   * @throws SessionLostException if the session is lost
   */
  @CheckReturnValue
  public synchronized IncomingConnection await(Duration timeout) {
    IncomingConnection[] next = new IncomingConnection[1];
    TimedWait.until(
        this,
        timeout,
        () -> {
          next[0] = poll();
          return next[0] != null;
        });
    return next[0];
  }

  synchronized void onRequested(IncomingConnection connection) {
    waiting.put(connection.connection().id(), connection);
    notifyAll();
  }

  /** Drops an ended request; false if it does not wait here. */
  synchronized boolean drop(int connection) {
    return waiting.remove(connection) != null;
  }

  /** Drops all waiting requests, which have ended with the daemon. */
  synchronized void onLost() {
    waiting.clear();
    notifyAll();
  }

  int id() {
    return id;
  }

  /** Listens at the same address in another daemon. */
  void restore(ControlChannel channel, SessionEvents events) {
    if (closed) {
      return;
    }
    channel.request(
        request ->
            new ProgramMessage.Listen(
                request, asked, address.getPort(), backlog, options.settings()),
        DaemonMessage.Listening.class,
        reply -> {
          id = reply.listener();
          events.add(this);
        });
  }

  /** Stops listening and rejects waiting connection requests. Never throws. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      notifyAll();
    }
    try {
      session
          .channel()
          .request(
              request -> new ProgramMessage.CloseListener(request, id), DaemonMessage.Done.class);
    } catch (RddpException | IllegalStateException sessionEnded) {
      onLost();
    } finally {
      // Not before the reply: waiting requests fail until then.
      session.forget(this);
    }
  }
}
