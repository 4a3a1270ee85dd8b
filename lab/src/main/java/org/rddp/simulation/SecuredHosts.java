package org.rddp.simulation;

import java.util.List;
import java.util.SplittableRandom;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.Association;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.HostAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;
import org.rddp.ip.TrafficSelector;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.Lifetime;
import org.rddp.ip.esp.ReplayWindow;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv6;

/**
 * The ESP of two hosts that send each other nothing in clear, in transport mode, as the table
 * [interface.ipsec] requires it. Associations are replaced before their lifetimes or their numbers
 * end, as a daemon of IKE does it, and after a power failure: then with keys that are new at both
 * hosts. Sometimes there is none for a while, or packets of one that is gone are still under way.
 */
final class SecuredHosts implements NetworkListener {
  /** Arbitrary: seeds the generator that draws everything about ESP. */
  private static final long ESP = 0x4553_5020_5050L;

  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final long ROLLOVER = 1L << 32;

  /** Associations from which on none is limited: runs that last for hours replace no more. */
  private static final int MOST_LIMITED = 100;

  /** Between two looks at a host's association. */
  private static final int TURNS = 16;

  private static final int LAST_RESERVED_SPI = 255;
  private static final int FIRST_NEIGHBOUR_MESSAGE = Icmpv6.ROUTER_SOLICITATION;
  private static final int LAST_NEIGHBOUR_MESSAGE = Icmpv6.REDIRECT;

  /** IPv6's header of options for each hop, which only reports of listeners have (RFC 3810). */
  private static final int HOP_BY_HOP = 0;

  private final SplittableRandom random;
  private final Network network;
  private final Violations violations;
  private final WatchedCiphers ciphers;
  private final SecurityPolicy policy;
  private final List<Direction> directions;
  private int turns;
  private int lastSpi = LAST_RESERVED_SPI;

  /** The associations that are for packets from one host to the other. */
  private static final class Direction {
    private SimulatedHost from;
    private SimulatedHost to;

    /** That of the association in use; 0 for none. */
    private int spi;

    /** Whether it is being replaced. */
    private boolean changing;

    /** Power failures of both hosts: what was begun before one is void. */
    private int failures;

    private IpSecurity sender() {
      return from.stacks().getFirst().security();
    }

    private IpSecurity receiver() {
      return to.stacks().getFirst().security();
    }

    private boolean isOff() {
      return from.isOff() || to.isOff();
    }
  }

  /**
   * The ESP of two hosts that are yet to be made.
   *
   * @param seed of the run
   * @param frame address of memory for the longest frame
   */
  SecuredHosts(long seed, Network network, Violations violations, long frame) {
    random = new SplittableRandom(seed ^ ESP);
    this.network = network;
    this.violations = violations;
    ciphers = new WatchedCiphers(network, violations, frame);
    policy = random.nextBoolean() ? new SecurityPolicy(List.of(), PolicyAction.REQUIRE) : byRules();
    directions = List.of(new Direction(), new Direction());
  }

  private static SecurityPolicy byRules() {
    List<SecurityPolicy.Rule> rules = List.of(rule("10.0.0.0/24"), rule("2001:db8::/64"));
    return new SecurityPolicy(rules, PolicyAction.DISCARD);
  }

  private static SecurityPolicy.Rule rule(String remote) {
    TrafficSelector selector = new TrafficSelector(AddressPrefix.parse(remote), false, 0, 0);
    return new SecurityPolicy.Rule(selector, PolicyAction.REQUIRE);
  }

  /** Draws whether a run is in ESP: a fifth of them are. */
  static boolean draw(long seed) {
    return new SplittableRandom(ESP - seed).nextInt(5) == 0;
  }

  /** The ESP of one of the hosts. */
  HostSecurity ofHost() {
    return new HostSecurity(policy, ciphers);
  }

  /** Associates the hosts. */
  void begin(SimulatedHost one, SimulatedHost two) {
    directions.getFirst().from = one;
    directions.getFirst().to = two;
    directions.getLast().from = two;
    directions.getLast().to = one;
    network.addListener(this);
    directions.forEach(each -> replace(each, 0));
  }

  /** Power is back at a host: its associations are gone, and those of the other end. */
  void restarted(SimulatedHost host) {
    for (Direction each : directions) {
      each.failures++;
      each.spi = 0;
      each.changing = false;
      SimulatedHost other = each.from == host ? each.to : each.from;
      if (!other.isOff()) {
        IpSecurity security = other.stacks().getFirst().security();
        for (Association gone : security.associations()) {
          delete(security, gone.settings().spi(), gone.settings().destination());
        }
      }
    }
    check();
  }

  /** Replaces what is about to end. Call after each turn of a host. */
  void afterTurn() {
    if (turns++ % TURNS == 0) {
      check();
    }
  }

  /** Replaces what is about to end. */
  void check() {
    for (Direction each : directions) {
      if (!each.changing && !each.isOff() && isSoftOver(each)) {
        replace(each, random.nextInt(4) == 0 ? random.nextLong(SECOND / 4) : 0);
      }
    }
  }

  private boolean isSoftOver(Direction direction) {
    Association inUse = direction.sender().find(direction.spi, direction.to.connectAddress());
    return inUse == null || inUse.isSoftOver(network.now());
  }

  /**
   * Replaces an association by another one, which the receiver has first.
   *
   * @param gap time in ns for which the sender has none
   */
  private void replace(Direction direction, long gap) {
    direction.changing = true;
    EspSuite[] suites = EspSuite.values();
    EspSuite suite =
        random.nextBoolean() ? EspSuite.AES128_GCM16 : suites[random.nextInt(suites.length)];
    byte[] keys = new byte[suite.keyOctets()];
    random.nextBytes(keys);
    lastSpi++;
    HostAddress peer = direction.to.connectAddress();
    AssociationSettings settings = settings(direction, suite);
    long used = used(settings.esn());
    ciphers.expect(
        settings, keys, direction.from.card().macAddress(), direction.to.card().macAddress());
    direction
        .receiver()
        .add(with(settings, direction.from.connectAddress()), keys, used, network.now());
    int before = direction.spi;
    if (gap > 0) {
      delete(direction.sender(), before, peer);
    }
    int failures = direction.failures;
    network
        .events()
        .schedule(
            network.now() + gap,
            any -> {
              if (direction.failures == failures && !direction.isOff()) {
                direction.sender().add(with(settings, peer), keys, used, network.now());
                direction.from.scheduleTurn();
                finish(direction, settings.spi(), before);
              }
            },
            0);
  }

  /** Uses an association, and deletes the one before, at the receiver some time later. */
  private void finish(Direction direction, int spi, int before) {
    HostAddress peer = direction.to.connectAddress();
    direction.spi = spi;
    direction.changing = false;
    delete(direction.sender(), before, peer);
    int failures = direction.failures;
    long later = network.now() + (random.nextInt(4) == 0 ? 0 : random.nextLong(SECOND));
    network
        .events()
        .schedule(
            later,
            any -> {
              if (direction.failures == failures && !direction.to.isOff()) {
                delete(direction.receiver(), before, peer);
              }
            },
            0);
  }

  private static void delete(IpSecurity security, int spi, HostAddress destination) {
    boolean ignored = security.delete(spi, destination);
  }

  private AssociationSettings settings(Direction direction, EspSuite suite) {
    boolean limited = associations() < MOST_LIMITED;
    int[] windows = {ReplayWindow.LEAST, ReplayWindow.USUAL, ReplayWindow.USUAL, 4096};
    return new AssociationSettings(
        lastSpi,
        direction.from.connectAddress(),
        direction.to.connectAddress(),
        false,
        suite,
        !limited || random.nextInt(4) > 0,
        windows[random.nextInt(windows.length)],
        TrafficSelector.of(direction.to.connectAddress()),
        limited ? lifetime() : Lifetime.UNLIMITED);
  }

  private static AssociationSettings with(AssociationSettings settings, HostAddress remote) {
    return new AssociationSettings(
        settings.spi(),
        settings.source(),
        settings.destination(),
        settings.tunnel(),
        settings.suite(),
        settings.esn(),
        settings.window(),
        TrafficSelector.of(remote),
        settings.lifetime());
  }

  private Lifetime lifetime() {
    long octets = (long) Math.pow(10, random.nextDouble(4.5, 7));
    long nanos = (long) Math.pow(10, random.nextDouble(7.5, 10.5));
    boolean inOctets = random.nextInt(3) == 0;
    boolean inTime = random.nextInt(3) == 0;
    return new Lifetime(
        inOctets ? octets : Lifetime.NONE,
        inOctets ? 2 * octets : Lifetime.NONE,
        inTime ? nanos : Lifetime.NONE,
        inTime ? 2 * nanos : Lifetime.NONE);
  }

  /** The number before the first: often short of the end of 32 bits. */
  private long used(boolean esn) {
    if (esn) {
      return random.nextBoolean() ? ROLLOVER - 1 - random.nextInt(500) : 0;
    }
    return random.nextInt(3) == 0 ? ROLLOVER - 1 - random.nextInt(1 << 21) : 0;
  }

  @Override
  public void onEvent(NetworkEvent event, long frame, int length, int detail) {
    if (event == NetworkEvent.SENT
        && directions.stream().anyMatch(each -> isFrom(each.from, frame))
        && !SegmentView.isSealed(frame, length)
        && !mayBeClear(frame)) {
      violations.add("a frame leaves in clear");
    }
  }

  private static boolean isFrom(SimulatedHost host, long frame) {
    return Ethernet.source(frame) == host.card().macAddress();
  }

  /** ARP, and what finds neighbours and joins groups in IPv6. */
  private static boolean mayBeClear(long frame) {
    long packet = SegmentView.packet(frame);
    return switch (Ethernet.type(frame)) {
      case Ethernet.TYPE_ARP -> true;
      case Ethernet.TYPE_IPV6 -> {
        int type = Icmpv6.type(packet + Ipv6.HEADER);
        yield Ipv6.nextHeader(packet) == HOP_BY_HOP
            || (Ipv6.nextHeader(packet) == Ipv6.ICMPV6
                && type >= FIRST_NEIGHBOUR_MESSAGE
                && type <= LAST_NEIGHBOUR_MESSAGE);
      }
      default -> false;
    };
  }

  /** Packets that were sealed. */
  long sealed() {
    return ciphers.sealed();
  }

  /** Associations so far. */
  int associations() {
    return lastSpi - LAST_RESERVED_SPI;
  }
}
