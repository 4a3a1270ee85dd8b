package org.rddp.daemon.configuration;

import java.util.List;

/**
 * A tenant: users whose sessions share a part of what each interface sends.
 *
 * @param name for people; empty: each user that no other tenant has is a tenant by itself
 * @param users ids of its users; empty if it has no name
 * @param weight its part of the weights of all tenants that have something to send, 1 to 10000
 * @param rate bits per second of an interface that it may send at the most; 0: as many as there are
 * @param burst octets that it may send at once after a time without any; 0 without a rate
 */
public record TenantConfiguration(
    String name, List<Integer> users, int weight, long rate, long burst) {
  /** A user that no tenant has, where the file does not say. */
  public static final TenantConfiguration OTHER = new TenantConfiguration("", List.of(), 1, 0, 0);

  /** Copies the list. */
  public TenantConfiguration {
    users = List.copyOf(users);
  }

  /** Whether it is each user that no other tenant has. */
  public boolean isOther() {
    return name.isEmpty();
  }

  /** Its share in words, such as {@code weight 9, at most 10 Gbit/s}. */
  public String share() {
    return "weight " + weight + (rate == 0 ? "" : ", at most " + RateText.format(rate));
  }
}
