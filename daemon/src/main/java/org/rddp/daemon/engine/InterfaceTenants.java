package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.rddp.daemon.configuration.TenantConfiguration;
import org.rddp.ddp.sending.RateLimit;

/**
 * The tenants of an interface. Its engines share rates among them; each shares what it sends by
 * itself among those tenants that have connections there. Any thread.
 */
public final class InterfaceTenants {
  /** Users without a tenant of their own that are told apart; further ones are one tenant. */
  private static final int MOST_OTHERS = 1024;

  /** The name of these. */
  private static final String REST = "others";

  /** Time in microseconds whose octets an interface may send at once after a silence. */
  private static final int BURST = 100;

  private static final long LEAST_BURST = 1 << 16;
  private static final int BITS_PER_OCTET_AND_SECOND = 8_000_000;

  private final List<TenantShare> named = new ArrayList<>();
  private final Map<Integer, TenantShare> ofUsers = new HashMap<>();
  private final Map<Integer, TenantShare> others = new ConcurrentHashMap<>();
  private final TenantConfiguration other;
  private final TenantShare rest;
  private final RateLimit limit;

  /**
   * Creates the tenants of an interface.
   *
   * @param tenants as configured; at most one without users
   * @param other what each user is that none of them has
   * @param rate bits per second of the interface; 0: no limit
   */
  private InterfaceTenants(
      List<TenantConfiguration> tenants, TenantConfiguration other, long rate) {
    this.other = other;
    for (TenantConfiguration each : tenants) {
      if (!each.isOther()) {
        TenantShare share = TenantShare.of(each.name(), each.users(), each);
        named.add(share);
        each.users().forEach(user -> ofUsers.put(user, share));
      }
    }
    rest = TenantShare.of(REST, List.of(), other);
    long burst = Math.max(LEAST_BURST, rate / BITS_PER_OCTET_AND_SECOND * BURST);
    limit = rate == 0 ? null : new RateLimit(rate, burst);
  }

  /** The tenants of an interface; null if nothing is configured: nobody shares anything then. */
  public static InterfaceTenants of(List<TenantConfiguration> tenants, long rate) {
    if (tenants.isEmpty() && rate == 0) {
      return null;
    }
    TenantConfiguration other =
        tenants.stream()
            .filter(TenantConfiguration::isOther)
            .findFirst()
            .orElse(TenantConfiguration.OTHER);
    return new InterfaceTenants(tenants, other, rate);
  }

  /** Those that have names. */
  List<TenantShare> named() {
    return named;
  }

  /** What all of them send; null for no limit. */
  RateLimit limit() {
    return limit;
  }

  /**
   * The share that another daemon has had.
   *
   * @param user its user, if it is one without a tenant of its own
   * @return null if there is none of this name
   */
  TenantShare find(String name, int user) {
    for (TenantShare each : named) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    TenantShare share = of(user);
    return share.name().equals(name) ? share : null;
  }

  /** The share of a user. */
  TenantShare of(int user) {
    TenantShare share = ofUsers.get(user);
    share = share == null ? others.get(user) : share;
    if (share != null) {
      return share;
    }
    return others.size() >= MOST_OTHERS
        ? rest
        : others.computeIfAbsent(
            user, id -> TenantShare.of(Integer.toUnsignedString(id), List.of(id), other));
  }
}
