package org.rddp.ip;

import java.util.List;
import org.rddp.snapshot.Snapshot;

/**
 * Which traffic of an interface is sent and received in ESP: the first rule that is for a packet
 * says. Neighbour Discovery, MLD and ARP are always in clear.
 *
 * @param rules in their order
 * @param otherwise for packets that no rule is for
 */
public record SecurityPolicy(List<Rule> rules, PolicyAction otherwise) {
  /**
   * One rule.
   *
   * @param selector what it is for
   * @param action what happens to that
   */
  public record Rule(TrafficSelector selector, PolicyAction action) {}

  /** Copies the rules. */
  public SecurityPolicy {
    rules = List.copyOf(rules);
  }

  /** What happens to a packet. */
  PolicyAction action(long high, long low, int protocol, int localPort, int remotePort) {
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      if (rule.selector.covers(high, low, protocol, localPort, remotePort)) {
        return rule.action;
      }
    }
    return otherwise;
  }

  /**
   * Transfers the policy, which must be the same in the one who goes on: connections have agreed on
   * what protects them by it.
   */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SecurityPolicy.class);
    int count = snapshot.number("rules", rules.size(), 0, Integer.MAX_VALUE);
    for (int i = 0; i <= count; i++) {
      String ours = i < rules.size() ? rules.get(i).toString() : "otherwise " + otherwise;
      String theirs = snapshot.text("rule", ours);
      if (!ours.equals(theirs)) {
        throw snapshot.wrong("the security policy has changed: %s was %s".formatted(ours, theirs));
      }
    }
    snapshot.end();
  }

  /** Whether any traffic with an address must be in ESP. */
  boolean mayRequire(long high, long low) {
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      if (rule.selector.remote().contains(high, low)) {
        if (rule.action == PolicyAction.REQUIRE) {
          return true;
        }
        if (!rule.selector.tcpOnly()) {
          return false;
        }
      }
    }
    return otherwise == PolicyAction.REQUIRE;
  }
}
