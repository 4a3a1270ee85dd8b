package org.rddp.daemon;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.ip.SecurityPolicy;

/** What connections depend on of interfaces, by which two daemons compare theirs. */
final class InterfaceTerms {
  private static final String NAME = "name";
  private static final String ENGINES = "engines";

  private final Map<String, Integer> kept = new LinkedHashMap<>();
  private final Map<String, String> differences = new LinkedHashMap<>();
  private final String difference;

  /**
   * Compares interfaces with those of another daemon that is to go on.
   *
   * @param theirs {@link #text} of the other daemon
   */
  InterfaceTerms(List<InterfaceConfiguration> own, String theirs) {
    List<Map<String, String>> inOrder =
        Stream.of(theirs.split("\n", -1)).map(InterfaceTerms::read).toList();
    Map<String, Map<String, String>> others = new LinkedHashMap<>();
    inOrder.forEach(terms -> others.put(terms.get(NAME), terms));
    for (InterfaceConfiguration each : own) {
      compare(each, others.get(each.name()));
    }
    difference = difference(own.stream().map(InterfaceTerms::terms).toList(), inOrder);
  }

  private static String difference(
      List<Map<String, String>> own, List<Map<String, String>> theirs) {
    for (int i = 0; i < Math.max(own.size(), theirs.size()); i++) {
      Map<String, String> here = i < own.size() ? own.get(i) : Map.of();
      Map<String, String> there = i < theirs.size() ? theirs.get(i) : Map.of();
      Set<String> terms = new LinkedHashSet<>(here.keySet());
      terms.addAll(there.keySet());
      for (String term : terms) {
        String ours = here.getOrDefault(term, "none");
        String other = there.getOrDefault(term, "none");
        if (!ours.equals(other)) {
          return "interface[%d] %s".formatted(i + 1, has(term, ours, other));
        }
      }
    }
    return "";
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
        differences.put(each.name(), "which " + has(term.getKey(), term.getValue(), other));
        return;
      }
    }
    kept.put(each.name(), Math.min(engines, each.engines()));
    for (int i = engines; i < each.engines(); i++) {
      differences.put(
          each.engineName(i),
          "which " + has(ENGINES, Integer.toString(each.engines()), theirs.get(ENGINES)));
    }
  }

  private static String has(String term, String own, String theirs) {
    return "has the %s %s in the daemon that runs, and %s in the new one"
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

  /** How the interfaces and their order differ, the first difference; empty if in nothing. */
  String difference() {
    return difference;
  }
}
