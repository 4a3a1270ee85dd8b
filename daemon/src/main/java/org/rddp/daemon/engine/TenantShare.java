package org.rddp.daemon.engine;

import java.util.List;
import org.rddp.daemon.configuration.TenantConfiguration;
import org.rddp.ddp.sending.RateLimit;

/**
 * A tenant's share of an interface, which its engines have in common.
 *
 * @param name of the tenant: as configured, or the id of its user
 * @param users ids of its users
 * @param configured its weight and rate
 * @param limit counts what all engines send for it; null without a rate
 */
public record TenantShare(
    String name, List<Integer> users, TenantConfiguration configured, RateLimit limit) {
  static TenantShare of(String name, List<Integer> users, TenantConfiguration configured) {
    RateLimit limit =
        configured.rate() == 0 ? null : new RateLimit(configured.rate(), configured.burst());
    return new TenantShare(name, List.copyOf(users), configured, limit);
  }
}
