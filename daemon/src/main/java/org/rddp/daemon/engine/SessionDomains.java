package org.rddp.daemon.engine;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.Reason;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.snapshot.Snapshot;

/**
 * The protection domains of a session, by the program's numbers. Each exists from its first use to
 * the session's end; the largest number bounds their count. Engine thread only.
 */
final class SessionDomains {
  private final String program;
  private ProtectionDomain[] domains = new ProtectionDomain[1];

  SessionDomains(String program) {
    this.program = program;
  }

  /** The domain with a number from the program, which is checked. */
  ProtectionDomain require(int number) throws RequestRefusedException {
    check(number);
    return get(number);
  }

  /** Refuses a number that no domain has. */
  static void check(int number) throws RequestRefusedException {
    try {
      ProtectionDomains.check(number);
    } catch (IllegalArgumentException e) {
      throw new RequestRefusedException(Reason.INVALID, e.getMessage());
    }
  }

  /** The domain with a checked number. */
  ProtectionDomain get(int number) {
    if (number >= domains.length) {
      domains = Arrays.copyOf(domains, Math.max(number + 1, 2 * domains.length));
    }
    if (domains[number] == null) {
      domains[number] = new ProtectionDomain(program + "/" + number);
    }
    return domains[number];
  }

  /** Transfers which exist. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SessionDomains.class);
    int count = snapshot.number("length", domains.length, 1, ProtectionDomains.LARGEST + 1);
    for (int i = 0; i < count; i++) {
      if (snapshot.flag("domains", i < domains.length && domains[i] != null)) {
        ProtectionDomain ignored = get(i);
      }
    }
    snapshot.end();
  }

  /** Those that exist, by their numbers. */
  List<ProtectionDomain> all() {
    return Arrays.stream(domains).filter(Objects::nonNull).toList();
  }
}
