package org.rddp.mpa;

import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.EspCounters;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;
import org.rddp.ip.TrafficSelector;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.ip.esp.Lifetime;

/**
 * The security of two hosts that send each other nothing but ESP. Their associations are replaced
 * again and again, and many begin with numbers just below 2^32.
 */
final class SecuredPair {
  private static final long SECOND = 1_000_000_000L;
  private static final long TURN = 1L << 32;
  private static final int OFTEN = 40;

  /** An association that is deleted at both hosts some time after another has replaced it. */
  private record Old(int spi, Ipv4Address destination, long until) {}

  final IpSecurity first;
  final IpSecurity second;
  private final Ipv4Address one;
  private final Ipv4Address two;
  private final SplittableRandom random;
  private final ArrayDeque<Old> old = new ArrayDeque<>();
  private int spi = 256;
  private int replaced;

  SecuredPair(Ipv4Address one, Ipv4Address two, SplittableRandom random) {
    this.one = one;
    this.two = two;
    this.random = random;
    SecurityPolicy policy = new SecurityPolicy(List.of(), PolicyAction.REQUIRE);
    first = new IpSecurity(policy, List.of(one), new JceCiphers(), new byte[] {1});
    second = new IpSecurity(policy, List.of(two), new JceCiphers(), new byte[] {2});
  }

  /** Associates the hosts for the first time, when both have their stacks. */
  void begin(long now) {
    associate(one, two, now);
    associate(two, one, now);
  }

  /** May replace an association, and deletes those that were replaced a while ago. */
  void turn(long now) {
    while (!old.isEmpty() && old.peek().until < now) {
      Old gone = old.poll();
      first.delete(gone.spi, gone.destination);
      second.delete(gone.spi, gone.destination);
    }
    if (random.nextInt(OFTEN) == 0 && replaced < 200) {
      boolean there = random.nextBoolean();
      Ipv4Address from = there ? one : two;
      Ipv4Address to = there ? two : one;
      first.associations().stream()
          .map(each -> each.settings())
          .filter(each -> each.destination().equals(to))
          .filter(each -> old.stream().noneMatch(other -> other.spi == each.spi()))
          .forEach(each -> old.add(new Old(each.spi(), to, now + SECOND)));
      associate(from, to, now);
      replaced++;
    }
  }

  private void associate(Ipv4Address from, Ipv4Address to, long now) {
    EspSuite[] suites = EspSuite.values();
    EspSuite suite = suites[random.nextInt(suites.length)];
    boolean tunnel = random.nextBoolean();
    boolean esn = random.nextInt(4) > 0;
    byte[] keys = new byte[suite.keyOctets()];
    random.nextBytes(keys);
    long used = esn && random.nextBoolean() ? TURN - 1 - random.nextInt(50) : 0;
    spi++;
    for (IpSecurity each : List.of(first, second)) {
      Ipv4Address peer = each == first ? two : one;
      each.add(
          new AssociationSettings(
              spi,
              from,
              to,
              tunnel,
              suite,
              esn,
              1024,
              TrafficSelector.of(peer),
              Lifetime.UNLIMITED),
          keys,
          used,
          now);
    }
  }

  /** How often an association was replaced. */
  int replaced() {
    return replaced;
  }

  /** Packets of both hosts that came again. */
  long replayed() {
    return first.counters().replayed + second.counters().replayed;
  }

  /** Packets of both hosts that the link had changed. */
  long forged() {
    return first.counters().forged + second.counters().forged;
  }

  /** Whether both hosts got ESP only, and everything that they opened was right. */
  boolean isSound() {
    return isSound(first.counters()) && isSound(second.counters());
  }

  private static boolean isSound(EspCounters counters) {
    return counters.opened > 0
        && counters.mismatched == 0
        && counters.tooLong == 0
        && counters.noAssociation == 0;
  }
}
