package org.rddp.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Accounts for every transfer from the lines that programs have printed before they ended: each one
 * that a source knows to be complete must have been verified by its sink.
 */
final class Ledger {
  private static final String BEGAN = "began";
  private static final String VERIFIED = "verified";
  private static final String CONFIRMED = "confirmed";
  private static final String WRONG = "wrong";
  private static final String MISBEHAVED = "misbehaved";
  private static final String NOTE = "note";

  private final Map<Long, Long> begun = new HashMap<>();
  private final Map<Long, Long> verified = new HashMap<>();
  private final Set<Long> confirmed = new HashSet<>();
  private final Map<String, Integer> misbehaviour = new LinkedHashMap<>();
  private final Map<String, Integer> failures = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  /** An empty ledger. */
  Ledger() {}

  // ---- Lines of programs ----

  static String began(long number, long octets) {
    return BEGAN + " " + number + " " + octets;
  }

  static String verified(long number, long octets) {
    return VERIFIED + " " + number + " " + octets;
  }

  static String confirmed(long number, long octets) {
    return CONFIRMED + " " + number + " " + octets;
  }

  static String wrong(long number, String problem) {
    return WRONG + " " + number + " " + problem;
  }

  static String misbehaved(String how) {
    return MISBEHAVED + " " + how;
  }

  /** A failure that the programs' own misbehaviour, or the end of others, explains. */
  static String note(String who, Throwable failure) {
    return NOTE + " " + who + ", " + failure.getMessage();
  }

  // ---- Accounts ----

  /** Enters a line. */
  void enter(String line) {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case BEGAN -> begun.put(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case VERIFIED -> verified.put(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case CONFIRMED -> confirmed.add(Long.parseLong(words[1]));
      case MISBEHAVED ->
          misbehaviour.merge(line.substring(MISBEHAVED.length() + 1), 1, Integer::sum);
      case NOTE -> failures.merge(line.substring(NOTE.length() + 1), 1, Integer::sum);
      default -> problems.add(line);
    }
  }

  /** What is wrong; call it when all programs have ended. */
  List<String> problems() {
    List<String> found = new ArrayList<>(problems);
    for (long number : confirmed) {
      if (!verified.containsKey(number)) {
        found.add("transfer " + number + " was confirmed, and no sink has verified it");
      }
    }
    verified.forEach((number, octets) -> {
      if (begun.containsKey(number) && !begun.get(number).equals(octets)) {
        found.add("transfer " + number + " began with other octets than were verified");
      }
    });
    return found;
  }

  long begunTransfers() {
    return begun.size();
  }

  long verifiedTransfers() {
    return verified.size();
  }

  long verifiedOctets() {
    return verified.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Octets of transfers that were not verified: a program or the daemon ended before. */
  long abandonedOctets() {
    return begun.entrySet().stream()
        .filter(each -> !verified.containsKey(each.getKey()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** How programs have misbehaved, and how often. */
  Map<String, Integer> misbehaviour() {
    return misbehaviour;
  }

  /** What programs were told when something failed, and how often. */
  Map<String, Integer> failures() {
    return failures;
  }
}
