package org.rddp.daemon;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.ip.SecurityPolicy;

/** What connections depend on of interfaces, by which two daemons compare theirs. */
final class InterfaceTerms {
  private static final String NAME = "name";
  private static final String ENGINES = "engines";

  private final Map<String, Integer> kept = new LinkedHashMap<>();
  private final Map<String, String> differences = new LinkedHashMap<>();

  /**
   * Compares interfaces with those of another daemon that is to go on.
   *
   * @param theirs {@link #text} of the other daemon
   */
  InterfaceTerms(List<InterfaceConfiguration> own, String theirs) {
    Map<String, Map<String, String>> others = new LinkedHashMap<>();
    for (String line : theirs.split("\n", -1)) {
      Map<String, String> terms = read(line);
      others.put(terms.get(NAME), terms);
    }
    for (InterfaceConfiguration each : own) {
      compare(each, others.get(each.name()));
    }
  }

  /** As text: a line for each interface, in the order of the configuration. */
  static String text(List<InterfaceConfiguration> interfaces) {
    return interfaces.stream()
        .map(each ->
            terms(each).entrySet().stream()
                .map(term -> term.getKey() + "=" + term.getValue())
                .collect(Collectors.joining("\t")))
        .collect(Collectors.joining("\n"));
  }

  private static Map<String, String> terms(InterfaceConfiguration each) {
    Map<String, String> terms = new LinkedHashMap<>();
    terms.put(NAME, each.name());
    terms.put("address", each.addressText());
    terms.put("vlan", Integer.toString(each.vlan()));
    terms.put("queue-pair-port", Integer.toString(each.introductionPort()));
    terms.put("sockets-port", Integer.toString(each.socketsPortInUse()));
    terms.put(ENGINES, Integer.toString(each.engines()));
    terms.put("security policy", each.ipsec().map(ipsec -> inShort(ipsec.policy())).orElse("none"));
    return terms;
  }

  /** A policy in few words, since its rules may be longer than a message. */
  private static String inShort(SecurityPolicy policy) {
    return "%s with %d rules (hash %08x)"
        .formatted(
            policy.otherwise().toString().toLowerCase(Locale.ROOT),
            policy.rules().size(),
            policy.rules().toString().hashCode());
  }

  private static Map<String, String> read(String line) {
    Map<String, String> terms = new LinkedHashMap<>();
    for (String term : line.split("\t", -1)) {
      int end = term.indexOf('=');
      terms.put(term.substring(0, Math.max(0, end)), term.substring(end + 1));
    }
    return terms;
  }

  private void compare(InterfaceConfiguration each, Map<String, String> theirs) {
    if (theirs == null) {
      differences.put(each.name(), "which the new daemon has not");
      return;
    }
    int engines = Integer.parseInt(theirs.getOrDefault(ENGINES, "0"));
    Map<String, String> own = terms(each);
    // Each engine's stack opens packets of its own associations.
    if (engines >= each.engines() || each.ipsec().isEmpty()) {
      own.remove(ENGINES);
    }
    for (Map.Entry<String, String> term : own.entrySet()) {
      String other = theirs.get(term.getKey());
      if (!term.getValue().equals(other)) {
        differences.put(each.name(), has(term.getKey(), term.getValue(), other));
        return;
      }
    }
    kept.put(each.name(), Math.min(engines, each.engines()));
    for (int i = engines; i < each.engines(); i++) {
      differences.put(
          each.engineName(i), has(ENGINES, Integer.toString(each.engines()), theirs.get(ENGINES)));
    }
  }

  private static String has(String term, String own, String theirs) {
    return "which has the %s %s in the daemon that runs, and %s in the new one"
        .formatted(term, own, theirs);
  }

  /** The names of the interfaces that go over, and how many engines of each. */
  Map<String, Integer> kept() {
    return kept;
  }

  /** The interfaces, and engines, whose connections cannot go over, by name, and why. */
  Map<String, String> differences() {
    return differences;
  }
}
