package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.rddp.ip.HostAddress;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

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
    append(address.ofOneHost(), connection);
    return size <= most ? null : evict();
  }

  private boolean append(HostAddress host, T connection) {
    Account<T> account = accounts.computeIfAbsent(host, Account::new);
    int before = account.connections.size();
    if (!account.connections.add(connection)) {
      return false;
    }
    move(account, before);
    size++;
    return true;
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

  /**
   * Transfers the connections by host, in the order in which they are evicted; when read, there are
   * none before.
   *
   * @param all the connections that may be here
   */
  void transfer(Snapshot snapshot, References<T> all) {
    snapshot.begin(PendingStartups.class);
    List<Account<T>> written = byCount.stream().flatMap(LinkedHashSet::stream).toList();
    int count = snapshot.number("accounts", written.size(), 0, Integer.MAX_VALUE);
    for (int i = 0; i < count; i++) {
      transfer(snapshot, all, snapshot.reads() ? null : written.get(i));
    }
    snapshot.end();
  }

  private void transfer(Snapshot snapshot, References<T> all, Account<T> written) {
    HostAddress host = HostAddress.transfer(snapshot, written == null ? null : written.host);
    List<T> connections = written == null ? List.of() : List.copyOf(written.connections);
    int count = snapshot.number("connections", connections.size(), 1, Integer.MAX_VALUE);
    for (int i = 0; i < count; i++) {
      T connection =
          all.require(snapshot, "connection", written == null ? null : connections.get(i));
      if (written == null && !append(host, connection)) {
        throw snapshot.wrong("a startup is there twice");
      }
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
