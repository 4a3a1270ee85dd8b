package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.rddp.ip.HostAddress;

/**
 * The peers of an engine, over all of its ports, that have connected and not sent their MPA
 * Request. Their number is bounded. Beyond it the oldest one of the host with the most is evicted;
 * a host is an IPv4 address or the first 64 bits of an IPv6 address, see {@link
 * HostAddress#ofOneHost}. So peers that send their Request at once get in, however many others
 * never send one.
 *
 * <p>Each call takes the same time however many there are. Engine thread only.
 *
 * @param <T> a peer's connection
 */
final class PendingStartups<T> {
  /** The connections of one host, oldest first. */
  private static final class Account<T> {
    private final HostAddress host;
    private final LinkedHashSet<T> connections = new LinkedHashSet<>();

    private Account(HostAddress host) {
      this.host = host;
    }
  }

  private final int most;
  private final Map<HostAddress, Account<T>> accounts = new HashMap<>();

  /** Element n has the addresses with n connections, in the order in which they reached n. */
  private final List<LinkedHashSet<Account<T>>> byCount = new ArrayList<>();

  /** Connections of the address with the most. */
  private int largest;

  private int size;

  /**
   * Creates an empty set.
   *
   * @param most the most connections, at least 1
   */
  PendingStartups(int most) {
    this.most = most;
    byCount.add(new LinkedHashSet<>());
  }

  /** How many there are. */
  int size() {
    return size;
  }

  /**
   * Adds a connection.
   *
   * @param address of the peer
   * @return the connection removed for it, which the caller ends; null if there was room
   */
  T add(HostAddress address, T connection) {
    Account<T> account = accounts.computeIfAbsent(address.ofOneHost(), Account::new);
    int before = account.connections.size();
    account.connections.add(connection);
    move(account, before);
    size++;
    return size <= most ? null : evict();
  }

  /**
   * Removes and returns the oldest connection of the address with the most; the set must not be
   * empty.
   */
  T evict() {
    Account<T> heaviest = byCount.get(largest).getFirst();
    T oldest = heaviest.connections.getFirst();
    remove(heaviest.host, oldest);
    return oldest;
  }

  /** Removes a connection; nothing happens if it is not here. */
  void remove(HostAddress address, T connection) {
    Account<T> account = accounts.get(address.ofOneHost());
    if (account == null || !account.connections.remove(connection)) {
      return;
    }
    size--;
    move(account, account.connections.size() + 1);
    if (account.connections.isEmpty()) {
      accounts.remove(account.host);
    }
  }

  /** Moves an address to its current number of connections, one more or fewer than before. */
  private void move(Account<T> account, int before) {
    int now = account.connections.size();
    byCount.get(before).remove(account);
    if (now == byCount.size()) {
      byCount.add(new LinkedHashSet<>());
    }
    if (now > 0) {
      byCount.get(now).add(account);
    }
    if (now > largest || (before == largest && byCount.get(before).isEmpty())) {
      largest = now;
    }
  }
}
