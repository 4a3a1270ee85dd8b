package org.rddp.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.IpsecConfiguration;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.control.FrameCapture;
import org.rddp.daemon.control.InterfaceEngine;
import org.rddp.daemon.control.Statistics;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.InterfaceTenants;
import org.rddp.daemon.engine.QueuePairNumbers;
import org.rddp.device.CapturePoint;
import org.rddp.device.CaptureSink;
import org.rddp.device.FrameDevice;
import org.rddp.group.SharedCounts;
import org.rddp.group.StackGroup;
import org.rddp.ip.AssociationDatabase;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv4Network;
import org.rddp.ip.PlainCapture;
import org.rddp.ip.UsedKeys;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.ipc.control.InterfacePrefix;
import org.rddp.ipc.control.IpAddress;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * A daemon's interfaces: the engines and security associations of each, with their counters. One
 * thread makes them; their engines make no turn before a thread of the daemon lets them.
 */
final class Interfaces {
  /** Leading bits that all link-local addresses share (RFC 4291 section 2.5.6). */
  private static final int LINK_LOCAL_PREFIX = 64;

  /**
   * Longest delay of an acknowledgment in ns. A polling program answers a message within this time,
   * so that the answer carries the acknowledgment.
   */
  private static final long ACKNOWLEDGMENT_DELAY = TimeUnit.MICROSECONDS.toNanos(5);

  /** Octets of the secret by which keys are remembered. */
  private static final int SECRET = 32;

  private final List<InterfaceConfiguration> configured;
  private final Limits limits;
  private final Ports ports;
  private final Statistics statistics;
  private final FaultForwarder faults = new FaultForwarder();
  private final UsedKeys usedKeys;

  /** The security associations of each interface, by its name. */
  private final Map<String, AssociationDatabase> associations = new LinkedHashMap<>();

  /** The stacks of each interface, by its name. */
  private final Map<String, StackGroup> groups = new LinkedHashMap<>();

  private final List<Engine> engines = new ArrayList<>();
  private final List<InterfaceEngine> named = new ArrayList<>();

  /**
   * Makes the interfaces of a configuration.
   *
   * @param ports one device for each engine
   * @throws IOException if there is no memory for counters
   */
  Interfaces(Configuration configuration, Ports ports) throws IOException {
    this.statistics = new Statistics();
    this.configured = configuration.interfaces();
    this.limits = configuration.limits();
    this.ports = ports;
    byte[] secret = new byte[SECRET];
    new SecureRandom().nextBytes(secret);
    usedKeys = new UsedKeys(secret);
    configured.forEach(this::add);
  }

  private void add(InterfaceConfiguration each) {
    long macAddress = ports.devices().get(engines.size()).macAddress();
    AssociationDatabase shared =
        new AssociationDatabase(
            each.interfaceAddress().all(macAddress), ports.ciphers(), usedKeys, each.engines());
    associations.put(each.name(), shared);
    StackGroup group = new StackGroup(each.engines());
    groups.put(each.name(), group);
    SharedCounts owned = new SharedCounts();
    InterfaceTenants tenants = InterfaceTenants.of(limits.tenants(), each.rate());
    QueuePairNumbers queuePairs =
        new QueuePairNumbers(each.introductionPort(), group, new SecureRandom(), System::nanoTime);
    for (int i = 0; i < each.engines(); i++) {
      FrameDevice device = ports.devices().get(engines.size());
      Engine engine = engine(each, i, group, device, shared);
      group.member(i).wakeBy(() -> engine.sleep().wake());
      if (tenants != null) {
        engine.shareAmong(tenants);
      }
      engines.add(engine);
      named.add(
          new InterfaceEngine(
              each.name(),
              engine,
              i,
              queuePairs,
              each.tcp().connections(),
              owned,
              each.heldMemoryOfEngine(),
              capturePoint(device, engine),
              entry(each, device),
              each.socketsPortInUse(),
              each.ipsec().map(IpsecConfiguration::isRequired).orElse(false)));
      EngineStatistics.add(statistics, engine, device);
    }
  }

  private Engine engine(
      InterfaceConfiguration each,
      int number,
      StackGroup group,
      FrameDevice device,
      AssociationDatabase shared) {
    SecureRandom random = new SecureRandom();
    InterfaceAddress address = each.interfaceAddress();
    TcpSettings tcpSettings = each.tcp().withAcknowledgmentDelay(ACKNOWLEDGMENT_DELAY);
    QueueParts parts =
        new QueueParts(
            device,
            address,
            tcpSettings,
            group.member(number),
            limits.stags(),
            each.heldMemoryOfEngine(),
            each.ipsec().map(own -> new IpSecurity(own.policy(), shared, number)).orElse(null),
            random);
    MpaSettings mpa = each.mpa();
    RdmapSettings rdmap =
        new RdmapSettings(
            mpa,
            limits.session().sendQueue(),
            limits.session().receiveQueue(),
            mpa.ird(),
            mpa.ord(),
            each.heldOctets());
    TcpStack stack = parts.tcp(System.nanoTime());
    Engine engine = new Engine(each.engineName(number), address, stack, parts.ddp(), rdmap, faults);
    engine.restartWith(parts);
    return engine;
  }

  private static InterfaceEntry entry(InterfaceConfiguration each, FrameDevice device) {
    Optional<Ipv4Network> ipv4 = each.ipv4();
    return new InterfaceEntry(
        each.name(),
        ipv4.map(own -> ControlAddresses.of(own.address())).orElse(IpAddress.NONE),
        ipv4.map(Ipv4Network::prefixLength).orElse(0),
        ipv4.flatMap(Ipv4Network::gateway).map(ControlAddresses::of).orElse(IpAddress.NONE),
        each.mtu(),
        device.macAddress(),
        ipv6(each, device.macAddress()));
  }

  private static List<InterfacePrefix> ipv6(InterfaceConfiguration each, long macAddress) {
    return each.ipv6()
        .map(network ->
            List.of(
                new InterfacePrefix(ControlAddresses.of(network.address()), network.prefixLength()),
                new InterfacePrefix(
                    ControlAddresses.of(network.linkLocal(macAddress)), LINK_LOCAL_PREFIX)))
        .orElse(List.of());
  }

  /** The frames of the device, and those that the interface sends to its own address. */
  private static FrameCapture capturePoint(FrameDevice device, Engine engine) {
    if (!(device instanceof CapturePoint point)) {
      return Interfaces::cannotCapture;
    }
    return (sink, plain) -> {
      point.capture(sink != null && plain ? PlainCapture.withoutSealed(sink) : sink);
      engine.capture(sink == null ? null : atTimeOfDay(sink), plain);
    };
  }

  /** Converts times of {@link System#nanoTime} to the time of day. */
  private static CaptureSink atTimeOfDay(CaptureSink sink) {
    long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
    return (time, address, length) -> sink.offer(time + epoch, address, length);
  }

  private static void cannotCapture(CaptureSink sink, boolean plain) {
    throw new UnsupportedOperationException("the device cannot capture");
  }

  /**
   * Adds the security associations of key files.
   *
   * @param wanted tells by the name of an interface whether it gets those of its file: not if it
   *     goes on with another daemon's
   * @throws IOException if a file cannot be used
   */
  void addKeys(Predicate<String> wanted) throws IOException {
    for (InterfaceConfiguration each : configured) {
      Optional<Path> keyFile = each.ipsec().flatMap(IpsecConfiguration::keyFile);
      if (keyFile.isPresent() && wanted.test(each.name())) {
        long macAddress = device(engines(each.name()).getFirst().engine()).macAddress();
        List<HostAddress> ours = each.interfaceAddress().all(macAddress);
        new KeyFile(keyFile.get(), ours).addTo(associations.get(each.name()), System.nanoTime());
      }
    }
  }

  /** Receives peers that look for queue pairs: once, and not before the stacks have been read. */
  void introduce() {
    named.forEach(each -> each.engine().introduceTo(each.queuePairs()));
  }

  /** What the configuration says of each. */
  List<InterfaceConfiguration> configured() {
    return configured;
  }

  /** The interface of a name; null if there is none. */
  InterfaceConfiguration configured(String name) {
    return configured.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
  }

  /** The security associations of each. */
  Collection<AssociationDatabase> associations() {
    return associations.values();
  }

  /** The security associations of an interface. */
  AssociationDatabase associations(String name) {
    return associations.get(name);
  }

  /** The stacks of an interface. */
  StackGroup group(String name) {
    return groups.get(name);
  }

  /** The keys that have been used on any of them. */
  UsedKeys usedKeys() {
    return usedKeys;
  }

  /** The engines, one or several for each, in the order of the configuration. */
  List<Engine> engines() {
    return engines;
  }

  /** The engines of an interface. */
  List<InterfaceEngine> engines(String name) {
    return named.stream().filter(each -> each.name().equals(name)).toList();
  }

  /** The engines as programs name them. */
  List<InterfaceEngine> named() {
    return named;
  }

  /** The device of an engine. */
  FrameDevice device(Engine engine) {
    return ports.devices().get(engines.indexOf(engine));
  }

  /** The counters of the engines, to which the daemon adds its own. */
  Statistics statistics() {
    return statistics;
  }

  /** Takes faults of the engines. */
  FaultForwarder faults() {
    return faults;
  }

  /** Wipes the keys: another daemon has the associations, or nobody will use them. */
  void retire() {
    associations().forEach(AssociationDatabase::retire);
  }

  /** Gives up interfaces whose engines have made no turn. */
  void discard() {
    statistics.close();
    retire();
  }
}
