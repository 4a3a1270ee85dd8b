package org.rddp.daemon;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.rddp.daemon.configuration.InterfaceConfiguration;

/** What connections depend on of interfaces, by which two daemons compare theirs. */
final class InterfaceTerms {
  private static final String NAME = "name";

  private InterfaceTerms() {}

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
    terms.put("number of engines", Integer.toString(each.engines()));
    return terms;
  }

  /**
   * The interfaces whose connections another daemon cannot go on with, by name, and why.
   *
   * @param theirs {@link #text} of the other daemon
   */
  static Map<String, String> differences(List<InterfaceConfiguration> own, String theirs) {
    Map<String, Map<String, String>> others =
        theirs
            .lines()
            .map(InterfaceTerms::read)
            .collect(
                Collectors.toMap(
                    each -> each.getOrDefault(NAME, ""), each -> each, (one, other) -> one));
    Map<String, String> differences = new LinkedHashMap<>();
    for (InterfaceConfiguration each : own) {
      String why = difference(terms(each), others.get(each.name()));
      if (!why.isEmpty()) {
        differences.put(each.name(), why);
      }
    }
    return differences;
  }

  private static Map<String, String> read(String line) {
    Map<String, String> terms = new LinkedHashMap<>();
    for (String term : line.split("\t", -1)) {
      int end = term.indexOf('=');
      terms.put(term.substring(0, Math.max(0, end)), term.substring(end + 1));
    }
    return terms;
  }

  private static String difference(Map<String, String> own, Map<String, String> theirs) {
    if (theirs == null) {
      return "which the new daemon has not";
    }
    return own.entrySet().stream()
        .filter(each -> !each.getValue().equals(theirs.get(each.getKey())))
        .map(each ->
            "which has the %s %s in the daemon that runs, and %s in the new one"
                .formatted(each.getKey(), each.getValue(), theirs.get(each.getKey())))
        .findFirst()
        .orElse("");
  }
}
