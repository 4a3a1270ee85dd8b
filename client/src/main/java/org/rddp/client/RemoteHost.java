package org.rddp.client;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.PrivateData;

/**
 * A port of a remote host that has one or more addresses, of IPv4, IPv6 or both. A connection is
 * tried with one address after the other, as RFC 8305 describes; the first that is established is
 * used.
 *
 * <p>Immutable; usable by every thread.
 */
public final class RemoteHost {
  /** Delay before the next attempt (RFC 8305 section 8: Connection Attempt Delay). */
  private static final Duration DELAY = Duration.ofMillis(250);

  private final String text;
  private final List<InetSocketAddress> addresses;

  private RemoteHost(String text, List<InetSocketAddress> addresses) {
    this.text = text;
    this.addresses = addresses;
  }

  /**
   * Looks up the addresses of a host. They are tried as the JDK's resolver has sorted them, but
   * families alternate, and IPv6 comes first (RFC 8305 section 4).
   *
   * @param host a name, or an address of either family
   * @param port 1 to 65535
   * @throws UnknownHostException if the host is not known
   */
  public static RemoteHost resolve(String host, int port) throws UnknownHostException {
    List<InetAddress> found = alternate(List.of(InetAddress.getAllByName(host)));
    List<InetSocketAddress> addresses =
        found.stream().map(each -> new InetSocketAddress(each, port)).toList();
    InetSocketAddress first = addresses.getFirst();
    boolean numeric = host.contains(":") || host.equals(first.getAddress().getHostAddress());
    return new RemoteHost(numeric ? AddressText.of(first) : host + ":" + port, addresses);
  }

  /** A host with given addresses, at least one, in the order in which they are tried. */
  public static RemoteHost of(InetSocketAddress... addresses) {
    if (addresses.length == 0) {
      throw new IllegalArgumentException("a host has at least one address");
    }
    String text = Arrays.stream(addresses).map(AddressText::of).collect(Collectors.joining(", "));
    return new RemoteHost(text, List.of(addresses));
  }

  static List<InetAddress> alternate(List<InetAddress> found) {
    Deque<InetAddress> next = new ArrayDeque<>();
    Deque<InetAddress> other = new ArrayDeque<>();
    found.forEach(each -> (each instanceof Inet6Address ? next : other).add(each));
    List<InetAddress> sorted = new ArrayList<>();
    while (sorted.size() < found.size()) {
      if (!next.isEmpty()) {
        sorted.add(next.remove());
      }
      if (!other.isEmpty()) {
        sorted.add(other.remove());
      }
    }
    return sorted;
  }

  /** The addresses in the order in which they are tried. */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  /**
   * Connects. The next address is tried as soon as one has failed, or after 250 ms without an
   * answer, while the attempts before go on. Parameters are those of {@link
   * Rddp#connect(InetSocketAddress, PrivateData, Duration, ConnectionOptions)}; the timeout is that
   * of each attempt.
   *
   * @return the connection that was established first; others are closed
   * @throws ConnectionRejectedException if the peer's program rejects an attempt: no other address
   *     is tried then
   * @throws RddpException if every attempt has failed; the message has the reason of each
   */
  public Connection connect(
      Rddp session, PrivateData privateData, Duration timeout, ConnectionOptions options) {
    if (addresses.size() == 1) {
      return session.connect(addresses.getFirst(), privateData, timeout, options);
    }
    CompletableFuture<Connection> first = new CompletableFuture<>();
    List<CompletableFuture<RddpException>> failures = new ArrayList<>();
    for (InetSocketAddress address : addresses) {
      CompletableFuture<RddpException> failure;
      try {
        failure =
            session
                .connectAsync(address, privateData, timeout, options)
                .handle((connection, problem) -> settle(first, connection, problem))
                .toCompletableFuture();
      } catch (SessionLostException e) {
        // An attempt before may still be established: it is closed then.
        first.completeExceptionally(e);
        break;
      }
      failures.add(failure);
      CompletableFuture<Void> delay =
          new CompletableFuture<Void>()
              .completeOnTimeout(null, DELAY.toMillis(), TimeUnit.MILLISECONDS);
      await(first, CompletableFuture.anyOf(done(first), failure, delay));
      if (first.isDone()) {
        break;
      }
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(failures.toArray(CompletableFuture[]::new));
    await(first, CompletableFuture.anyOf(done(first), all));
    if (!first.isDone()) {
      throw failed(failures);
    }
    try {
      return first.join();
    } catch (CompletionException e) {
      throw (RddpException) e.getCause();
    }
  }

  /** Waits for one of several results; an interrupt ends all attempts. */
  private static void await(CompletableFuture<Connection> first, CompletableFuture<?> any) {
    try {
      any.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      first.completeExceptionally(new RddpException("interrupted while connecting", e));
    } catch (ExecutionException e) {
      throw new IllegalStateException("results of attempts are handled", e);
    }
  }

  private static CompletableFuture<Boolean> done(CompletableFuture<Connection> first) {
    return first.handle((connection, problem) -> true);
  }

  /** Takes the result of an attempt; returns why it has failed, or null. */
  private static RddpException settle(
      CompletableFuture<Connection> first, Connection connection, Throwable problem) {
    if (connection != null) {
      if (!first.complete(connection)) {
        connection.closeAsync();
      }
      return null;
    }
    Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
    if (cause instanceof ConnectionRejectedException) {
      first.completeExceptionally(cause);
    }
    return cause instanceof RddpException failure
        ? failure
        : new RddpException("the attempt has failed: " + cause.getMessage(), cause);
  }

  private static RddpException failed(List<CompletableFuture<RddpException>> failures) {
    List<RddpException> all = failures.stream().map(CompletableFuture::join).toList();
    RddpException whole =
        new RddpException(
            all.stream().map(RddpException::getMessage).collect(Collectors.joining("; ")),
            all.getFirst());
    all.stream().skip(1).forEach(whole::addSuppressed);
    return whole;
  }

  /** The name or the address, and the port, such as {@code host:7471} or {@code [::1]:7471}. */
  @Override
  public String toString() {
    return text;
  }
}
