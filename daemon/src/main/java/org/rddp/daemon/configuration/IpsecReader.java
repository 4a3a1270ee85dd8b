package org.rddp.daemon.configuration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;
import org.rddp.ip.TrafficSelector;

/** Reads the {@code [interface.ipsec]} of an interface: its security policy. */
final class IpsecReader {
  /** The most rules, which are looked through for each packet. */
  private static final int MOST_RULES = 64;

  private static final int LAST_PORT = 65535;

  private static final Map<String, PolicyAction> ACTIONS = TomlSection.words(PolicyAction.values());

  private IpsecReader() {}

  /** Reads the table; empty if the interface has none. */
  static Optional<IpsecConfiguration> read(TomlSection owner) {
    if (!owner.has("ipsec")) {
      return Optional.empty();
    }
    TomlSection section = owner.section("ipsec");
    PolicyAction otherwise = section.choice("default", ACTIONS, PolicyAction.REQUIRE);
    List<SecurityPolicy.Rule> rules = new ArrayList<>();
    List<TomlSection> tables = section.sections("rule");
    for (TomlSection each : tables) {
      AddressPrefix remote = each.network("remote");
      int localPort = each.integer("local-port", 1, LAST_PORT, 0);
      int remotePort = each.integer("remote-port", 1, LAST_PORT, 0);
      PolicyAction action = each.required("action", ACTIONS);
      each.refuseUnknownKeys();
      if (remote != null && action != null) {
        rules.add(
            new SecurityPolicy.Rule(
                new TrafficSelector(remote, false, localPort, remotePort), action));
      }
    }
    if (tables.size() > MOST_RULES) {
      section.refuse("rule", tables.size() + " are too many", "at most " + MOST_RULES + " of them");
    }
    Path keyFile =
        section.has("key-file")
            ? section.required("key-file", "an absolute path", IpsecReader::path)
            : null;
    section.refuseUnknownKeys();
    return Optional.of(
        new IpsecConfiguration(new SecurityPolicy(rules, otherwise), Optional.ofNullable(keyFile)));
  }

  private static Path path(String text) {
    Path path = Path.of(text);
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException(text);
    }
    return path;
  }
}
