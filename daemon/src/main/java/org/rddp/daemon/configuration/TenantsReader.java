package org.rddp.daemon.configuration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the {@code [[limits.tenant]]} of a configuration file. */
final class TenantsReader {
  private static final int MOST = 256;
  private static final int MOST_WEIGHT = 10_000;
  private static final long LEAST_RATE = 1_000_000;
  private static final long MOST_RATE = 1_000_000_000_000L;
  private static final long LEAST_BURST = 1 << 11;
  private static final long MOST_BURST = 1 << 30;

  /** The usual burst is what the rate allows in a millisecond, but at least this. */
  private static final long USUAL_BURST = 1 << 16;

  private static final int BURSTS_PER_SECOND = 1000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,31}");

  private final List<TenantConfiguration> tenants = new ArrayList<>();
  private final Map<String, Integer> names = new HashMap<>();
  private final Map<Integer, Integer> users = new HashMap<>();

  private TenantsReader() {}

  /** Reads all; none if the file has none. */
  static List<TenantConfiguration> read(TomlSection limits) {
    TenantsReader reader = new TenantsReader();
    List<TomlSection> tables = limits.sections("tenant");
    for (int i = 0; i < tables.size(); i++) {
      reader.read(tables.get(i), i + 1);
    }
    if (tables.size() > MOST) {
      limits.refuse("tenant", tables.size() + " are too many", "at most " + MOST + " of them");
    }
    return List.copyOf(reader.tenants);
  }

  private void read(TomlSection section, int number) {
    List<Integer> its = ControlConfiguration.users(section);
    String name = name(section, number);
    for (int user : its) {
      Integer same = users.putIfAbsent(user, number);
      if (same != null) {
        section.refuse(
            "users",
            "user "
                + user
                + (same == number ? " is named twice" : " is in tenant[" + same + "] too"),
            "each user once");
      }
    }
    int weight = section.integer("weight", 1, MOST_WEIGHT, 1);
    long rate = rate(section);
    long burst =
        section.octets(
            "burst",
            LEAST_BURST,
            MOST_BURST,
            Math.clamp(rate / Byte.SIZE / BURSTS_PER_SECOND, USUAL_BURST, MOST_BURST));
    if (rate == 0 && section.has("burst")) {
      section.refuse("burst", "is set without a rate", "a 'rate', too, or no 'burst'");
    }
    section.refuseUnknownKeys();
    tenants.add(new TenantConfiguration(name, its, weight, rate, rate == 0 ? 0 : burst));
  }

  /** The name of a tenant with users; an empty one stands for each other user. */
  private String name(TomlSection section, int number) {
    String allowed = "1 to 32 letters, digits, '.', '_' or '-'";
    if (section.has("users")) {
      if (section.isEmptyList("users")) {
        section.refuse(
            "users", "is empty", "names or ids of users; without the key: each other user");
      }
      String name = section.required("name", allowed, TenantsReader::name);
      Integer same = name == null ? null : names.putIfAbsent(name, number);
      if (same != null) {
        section.refuse("name", "is that of tenant[" + same + "] too", "a unique name");
      }
      return name == null ? "?" : name;
    }
    if (section.has("name")) {
      section.refuse(
          "name",
          "is for a tenant with users; without them, each other user is a tenant",
          "'users', too, or no 'name'");
    }
    Integer same = names.putIfAbsent("", number);
    if (same != null) {
      section.refuse("is for each other user, as tenant[" + same + "] is; it needs name and users");
    }
    return "";
  }

  private static String name(String text) {
    if (!NAME.matcher(text).matches()) {
      throw new IllegalArgumentException(text);
    }
    return text;
  }

  /** A rate in bits per second; 0 for none. */
  static long rate(TomlSection section) {
    String allowed =
        "\"off\", or "
            + RateText.FORM
            + ", from "
            + RateText.format(LEAST_RATE)
            + " to "
            + RateText.format(MOST_RATE);
    return section.parsed("rate", allowed, 0L, TenantsReader::rate);
  }

  private static long rate(String text) {
    if (text.equals("off")) {
      return 0;
    }
    long rate = RateText.parse(text);
    if (rate < LEAST_RATE || rate > MOST_RATE) {
      throw new IllegalArgumentException(text);
    }
    return rate;
  }
}
