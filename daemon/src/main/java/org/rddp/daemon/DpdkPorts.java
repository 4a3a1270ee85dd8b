package org.rddp.daemon;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.DeviceName;
import org.rddp.daemon.configuration.DpdkConfiguration;
import org.rddp.daemon.configuration.EngineConfiguration;
import org.rddp.daemon.configuration.EngineThreads;
import org.rddp.daemon.configuration.FrameLengths;
import org.rddp.daemon.configuration.IdleMode;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.MachineException;
import org.rddp.daemon.configuration.MachineProblem;
import org.rddp.daemon.packet.PacketPort;
import org.rddp.daemon.packet.XdpPort;
import org.rddp.device.FlowSteering;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.dpdk.BurstPort;
import org.rddp.dpdk.DpdkException;
import org.rddp.dpdk.Eal;
import org.rddp.dpdk.EalArguments;
import org.rddp.dpdk.EthernetPort;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;
import org.rddp.dpdk.PortSettings;
import org.rddp.dpdk.RingPair;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.dpdk.device.NativeCiphers;
import org.rddp.dpdk.device.PortOffloads;
import org.rddp.dpdk.device.RingOutput;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.wire.Toeplitz;

/**
 * Starts DPDK and opens the ports of a configuration: one device for each engine of each interface,
 * in the order of the configuration. DPDK can be started once in a process.
 */
public final class DpdkPorts implements Ports {
  private static final byte[] NO_KEY = {};

  /** Number of a mempool's buffers in each thread's cache. */
  private static final int CACHE = 256;

  /** Number of a mempool's long buffers in each thread's cache; small, since there are few. */
  private static final int LONG_CACHE = 32;

  /** MiB for ports of {@link #openMore}: addresses, of which only what is used takes memory. */
  private static final int MORE = 48;

  /** Mempools that this process has made: each has a name of its own. */
  private static final AtomicInteger MEMPOOLS = new AtomicInteger();

  /** No NUMA node is preferred. */
  private static final int ANY_NODE = -1;

  private static final String ALLOWED_EAL =
      "allowed: 'arguments' that are options of DPDK's EAL, and memory that is free";

  /** The first MAC address of ring ports, locally administered; further ports count up from it. */
  private static final long LOCAL_MAC = 0x02_00_00_00_00_01L;

  private static final String EAL_LOG = "--log-level=lib.eal:warning";

  private final List<DpdkDevice> devices = new ArrayList<>();
  private final List<Mempool> mempools = new ArrayList<>();
  private final Map<String, RingPair> pairs = new HashMap<>();
  private final Map<String, Mempool> linkPools = new HashMap<>();

  private final Configuration configuration;
  private final EngineConfiguration engine;
  private final NativeOutput output;

  /** Whether DPDK ends with these ports. */
  private final boolean first;

  private final SecureRandom random = new SecureRandom();

  /** How the ends of rings with several engines choose their queues, by the interface's name. */
  private final Map<String, FlowSteering> ringSteering = new HashMap<>();

  private final List<String> warnings = new ArrayList<>();

  /** Interfaces that have been opened. */
  private int interfaces;

  private DpdkPorts(Configuration configuration, NativeOutput output, boolean first) {
    this.configuration = configuration;
    this.first = first;
    this.engine = configuration.engine();
    this.output = output;
  }

  /**
   * Starts DPDK and opens the ports.
   *
   * @throws DpdkException if DPDK cannot be started; the message says what to do
   * @throws MachineException if an interface's device or the memory for its packets cannot be used.
   *     Ports opened before are closed
   */
  public static DpdkPorts open(Configuration configuration) {
    return open(configuration, each -> {});
  }

  /**
   * Starts DPDK and opens the ports, with an action before each of them. For example, the action
   * can enter the network namespace of a port on a Linux interface.
   *
   * @param before called before each port is opened; may throw, which is handled as a failure
   * @throws DpdkException if DPDK cannot be started; the message says what to do
   * @throws MachineException if an interface's device or the memory for its packets cannot be used.
   *     Ports opened before are closed
   */
  public static DpdkPorts open(
      Configuration configuration, Consumer<InterfaceConfiguration> before) {
    return open(configuration, before, null);
  }

  /**
   * Checks that the machine has what the configuration names, starts DPDK and opens the ports.
   * Captures the output of the whole process during that time, and passes it on to standard error
   * only on success: after a failure the exception quotes what matters of it.
   *
   * @param before called before each port is opened; may throw, which is handled as a failure
   * @throws MachineException if something cannot be used; names the key. Ports opened before are
   *     closed
   * @throws IOException if the output cannot be kept
   */
  public static DpdkPorts openQuietly(
      Configuration configuration, Consumer<InterfaceConfiguration> before) throws IOException {
    List<MachineProblem> problems = MachineChecks.problems(configuration);
    if (!problems.isEmpty()) {
      throw new MachineException(problems);
    }
    String said;
    DpdkPorts ports;
    try (NativeOutput kept = NativeOutput.keep()) {
      try {
        ports = open(configuration, before, kept);
      } catch (DpdkException e) {
        if (e.errno() == 0) {
          // Found before DPDK was called: the message is complete.
          throw e;
        }
        throw new MachineException(
            MachineProblem.of(
                "dpdk",
                configuration.dpdk().arguments().isEmpty() ? "memory" : "arguments",
                "DPDK does not start" + DriverWords.reason(kept.since(0)) + "; " + ALLOWED_EAL),
            e);
      }
      said = kept.since(0);
    }
    // With a configured log level, print all messages.
    boolean whole =
        configuration.dpdk().arguments().stream().anyMatch(each -> each.contains("log-level"));
    System.err.print(whole ? said : DriverWords.remarkable(said));
    return ports;
  }

  /**
   * Opens the ports of a further configuration in a process that has started DPDK, for a rehearsal:
   * what the configuration says of DPDK itself does not count.
   *
   * @throws MachineException if a device, or the memory for its packets, cannot be used
   */
  public static DpdkPorts openMore(Configuration configuration) {
    return new DpdkPorts(configuration, null, false).open(each -> {});
  }

  private static DpdkPorts open(
      Configuration configuration, Consumer<InterfaceConfiguration> before, NativeOutput output) {
    try {
      List<String> arguments = arguments(configuration).list();
      if (output == null) {
        Eal.init(arguments);
      } else {
        Eal.init(arguments, output.file(), output.standardError());
      }
    } catch (DpdkException e) {
      Eal.removeLeftovers(ProcessHandle.current().pid());
      throw e;
    }
    return new DpdkPorts(configuration, output, true).open(before);
  }

  private DpdkPorts open(Consumer<InterfaceConfiguration> before) {
    try {
      for (InterfaceConfiguration each : configuration.interfaces()) {
        before.accept(each);
        devices.addAll(open(each));
        interfaces++;
      }
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static EalArguments arguments(Configuration configuration) {
    DpdkConfiguration dpdk = configuration.dpdk();
    int mebibytes = (int) (dpdk.memory() >> 20);
    EalArguments arguments =
        dpdk.hugepages()
            ? EalArguments.hugepages().and("-m", Integer.toString(mebibytes))
            : EalArguments.ordinaryPages(mebibytes + MORE, "rddp-" + ProcessHandle.current().pid());
    for (InterfaceConfiguration each : configuration.interfaces()) {
      if (each.device().kind() == DeviceName.Kind.PCI) {
        arguments = arguments.withPciDevice(dpdkArguments(each));
        if (PciCards.OF_MACHINE.needsPhysicalAddresses(each.device().name())) {
          arguments = arguments.withPhysicalAddresses();
        }
      }
    }
    // Without it, DPDK prints lines without times to standard error. The configured arguments
    // override it.
    return arguments.and(EAL_LOG).overriddenBy(dpdk.arguments());
  }

  private static String dpdkArguments(InterfaceConfiguration configured) {
    return configured.device().dpdkArguments(FrameLengths.frame(configured), configured.engines());
  }

  /** The devices of an interface, one for each engine. */
  private List<DpdkDevice> open(InterfaceConfiguration configured) {
    if (configured.isRing()) {
      return openRing(configured);
    }
    if (configured.usesPacketSockets()) {
      return openPacketSockets(configured);
    }
    if (configured.device().kind() == DeviceName.Kind.XDP) {
      return openXdp(configured);
    }
    long mark = output == null ? 0 : output.mark();
    EthernetPort port;
    try {
      port = EthernetPort.attach(dpdkArguments(configured));
    } catch (DpdkException e) {
      throw refused("device", deviceFailure(configured, e, mark), e);
    }
    try {
      checkQueues(configured, port);
      // Packets come from the memory of the card's NUMA node, if it has some left.
      List<Mempool> pools = mempools(configured, port.info().socket());
      PortSettings settings = settings(configured, port).withQueues(pools.size());
      boolean isLong = configured.longestFrame() > configured.mtu();
      int offered = PortOffloads.of(port.info(), isLong).offered();
      checkLongestFrame(configured, isLong && !Offloads.cutTrains(offered));
      boolean interrupts = start(port, settings, pools);
      if (configured.ipv6().isPresent() && !port.receiveMulticast()) {
        warnings.add(noMulticast(configured, port));
      }
      FlowSteering steering = pools.size() == 1 ? null : steering(port, pools.size());
      long mac = port.info().macAddress();
      List<DpdkDevice> opened = new ArrayList<>();
      for (int i = 0; i < pools.size(); i++) {
        opened.add(
            new DpdkDevice(
                port,
                i,
                steering,
                new MbufPool(pools.get(i), isLong ? longMempoolOfEngine(configured) : null),
                null,
                mac,
                configured.mtu(),
                isLong ? configured.longestFrame() : configured.mtu(),
                offered,
                interrupts ? port.interruptDescriptor(i) : FrameDevice.POLLED,
                i == 0 ? port::close : () -> {}));
      }
      return opened;
    } catch (DpdkException e) {
      port.close();
      throw refused("device", deviceFailure(configured, e, mark), e);
    } catch (RuntimeException e) {
      port.close();
      throw e;
    }
  }

  /** The devices of a Linux interface that carries long frames. */
  private List<DpdkDevice> openPacketSockets(InterfaceConfiguration configured) {
    List<MbufPool> pools = new ArrayList<>();
    for (Mempool each : mempools(configured, ANY_NODE)) {
      pools.add(new MbufPool(each, longMempoolOfEngine(configured)));
    }
    PacketPort port;
    try {
      port = PacketPort.open(configured.device().name(), configured.interfaceAddress(), pools);
    } catch (SystemCallException e) {
      throw refused(
          "device",
          "no packet socket with virtio headers: "
              + e.getMessage()
              + "; allowed: longest-frame = "
              + configured.mtu()
              + ", which needs none",
          null);
    }
    if (port.granted() < PacketPort.BUFFER) {
      warnings.add(smallBuffer(configured, port.granted()));
    }
    int offered = PortOffloads.VIRTIO_HEADERS.offered();
    return devices(configured, port, pools, offered, port::interruptDescriptor, port::close);
  }

  /** The devices of a Linux interface by AF_XDP. */
  private List<DpdkDevice> openXdp(InterfaceConfiguration configured) {
    List<MbufPool> pools =
        mempools(configured, ANY_NODE).stream().map(each -> new MbufPool(each, null)).toList();
    String name = configured.device().name();
    XdpPort port;
    try {
      port = XdpPort.open(name, configured.interfaceAddress(), pools, configured.descriptors());
    } catch (SystemCallException e) {
      throw refused(
          "device",
          "no AF_XDP on " + name + ": " + e.getMessage() + "; allowed: \"linux:" + name + "\"",
          null);
    }
    if (port.copies()) {
      warnings.add(
          "interface %s: the driver of %s copies the frames of AF_XDP; \"linux:%s\" is faster"
              .formatted(configured.name(), name, name));
    }
    return devices(configured, port, pools, 0, port::interruptDescriptor, port::close);
  }

  /** The devices of a port by sockets of a Linux interface. */
  private List<DpdkDevice> devices(
      InterfaceConfiguration configured,
      BurstPort port,
      List<MbufPool> pools,
      int offered,
      IntUnaryOperator interrupt,
      Runnable closer) {
    List<DpdkDevice> opened = new ArrayList<>();
    for (int i = 0; i < pools.size(); i++) {
      opened.add(
          new DpdkDevice(
              port,
              i,
              null,
              pools.get(i),
              null,
              port.info().macAddress(),
              configured.mtu(),
              configured.longestFrame(),
              offered,
              engine.idle() == IdleMode.INTERRUPT ? interrupt.applyAsInt(i) : FrameDevice.POLLED,
              i == 0 ? closer : () -> {}));
    }
    return opened;
  }

  private static String smallBuffer(InterfaceConfiguration configured, int granted) {
    return ("interface %s: the kernel keeps only %d KiB of received frames, so some may be lost;"
            + " give the daemon CAP_NET_ADMIN, or raise net.core.rmem_max to %d")
        .formatted(configured.name(), granted >> 10, PacketPort.BUFFER);
  }

  private List<DpdkDevice> openRing(InterfaceConfiguration configured) {
    List<Mempool> pools = mempools(configured, ANY_NODE);
    String name = configured.ringName();
    boolean second = pairs.containsKey(name);
    InterfaceConfiguration peer = otherEnd(configured);
    RingPair pair;
    try {
      pair =
          pairs.computeIfAbsent(
              name,
              each ->
                  RingPair.create(
                      each, configured.descriptors(), configured.engines(), peer.engines()));
    } catch (DpdkException e) {
      throw refused("device", e.getMessage(), e);
    }
    Mempool link =
        linkPools.computeIfAbsent(
            name, each -> mempool("link", configured, configured.packets(), ANY_NODE));
    int longest = Math.min(configured.longestFrame(), peer.longestFrame());
    boolean isLong = longest > configured.mtu();
    EthernetPort port = second ? pair.second() : pair.first();
    // DPDK gives both ends of a ring pair the same MAC address, so each gets a unique one.
    long macAddress = LOCAL_MAC + interfaces;
    try {
      checkMtu(configured, port);
      port.configure(
          settings(configured, port).withQueues(pools.size(), peer.engines()), pools, NO_KEY);
      port.start();
      List<DpdkDevice> opened = new ArrayList<>();
      for (int i = 0; i < pools.size(); i++) {
        opened.add(
            new DpdkDevice(
                port,
                i,
                ringSteering(configured),
                new MbufPool(pools.get(i), isLong ? longMempoolOfEngine(configured) : null),
                new RingOutput(link, ringSteering(peer)),
                macAddress,
                configured.mtu(),
                isLong ? longest : configured.mtu(),
                RingOutput.OFFLOADS,
                ringInterrupt(),
                i == 0 ? port::stop : () -> {}));
      }
      return opened;
    } catch (RuntimeException e) {
      port.stop();
      throw e;
    }
  }

  private Mempool longMempoolOfEngine(InterfaceConfiguration configured) {
    return longMempool(configured, FrameLengths.longPacketsOfEngine(configured));
  }

  /** The interface at the other end of a ring. */
  private InterfaceConfiguration otherEnd(InterfaceConfiguration configured) {
    for (InterfaceConfiguration each : configuration.interfaces()) {
      if (each.isRing()
          && each.ringName().equals(configured.ringName())
          && !each.name().equals(configured.name())) {
        return each;
      }
    }
    throw new IllegalStateException("the ring " + configured.ringName() + " has one end");
  }

  /** How the end of a ring chooses queues; null if it has only one. */
  private FlowSteering ringSteering(InterfaceConfiguration end) {
    if (end.engines() == 1) {
      return null;
    }
    return ringSteering.computeIfAbsent(
        end.name(),
        name ->
            new FlowSteering(
                new Toeplitz(Toeplitz.randomKey(Toeplitz.SHORTEST_IPV6_KEY, random)),
                FlowSteering.evenTable(end.engines())));
  }

  private PortSettings settings(InterfaceConfiguration configured, EthernetPort port) {
    checkMtu(configured, port);
    PortOffloads offloads =
        PortOffloads.of(port.info(), configured.longestFrame() > configured.mtu());
    return PortSettings.DEFAULTS
        .withSlots(configured.descriptors(), configured.descriptors())
        .withMtu(configured.mtu())
        .withOffloads(offloads.receive(), offloads.transmit());
  }

  private void checkLongestFrame(InterfaceConfiguration configured, boolean missing) {
    if (missing) {
      throw refused(
          "longest-frame",
          configured.device().name()
              + " does not cut frames into segments (TCP_TSO); allowed: no 'longest-frame'"
              + (configured.device().driver().equals("net_virtio_user")
                  ? ", or tso=1 among the arguments of the other end, net_vhost"
                  : ""),
          null);
    }
  }

  private void checkQueues(InterfaceConfiguration configured, EthernetPort port) {
    int queues = Math.min(port.info().maxReceiveQueues(), port.info().maxTransmitQueues());
    if (configured.engines() > queues) {
      throw refused(
          "engines",
          configured.engines()
              + " engines need as many queues, and "
              + port.info().name()
              + " has "
              + queues
              + "; allowed: 1 to "
              + queues
              + (configured.device().kind() == DeviceName.Kind.VIRTUAL
                  ? ", or an argument of the device for more queues (docs/dpdk.md)"
                  : ""),
          null);
    }
  }

  private List<Mempool> mempools(InterfaceConfiguration configured, int node) {
    List<Mempool> pools = new ArrayList<>();
    for (int i = 0; i < configured.engines(); i++) {
      pools.add(mempool("port", configured, configured.packetsOfEngine(), node));
    }
    return pools;
  }

  private static String noMulticast(InterfaceConfiguration configured, EthernetPort port) {
    return "interface %s: its driver, %s, receives no multicast, so neighbours cannot find its IPv6"
            .formatted(configured.name(), port.info().driver())
        + " addresses (RFC 4861); use IPv4, or another driver";
  }

  /** Starts a port; returns whether it signals received frames. */
  private boolean start(EthernetPort port, PortSettings settings, List<Mempool> pools) {
    boolean spreads = pools.size() > 1 && port.info().spreadsTcp();
    PortSettings wanted = settings.withSpreadTcp(spreads);
    // A key of our own: peers that know the driver's could send everything to one queue.
    int octets = spreads ? port.info().rssKeyOctets() : 0;
    byte[] key = octets == 0 ? NO_KEY : Toeplitz.randomKey(octets, random);
    if (engine.idle() == IdleMode.INTERRUPT
        && port.passesInterrupts()
        && start(port, wanted.withInterrupts(true), pools, key)) {
      return true;
    }
    port.configure(wanted, pools, key);
    port.start();
    return false;
  }

  /**
   * How a port chooses a receive queue; null if that cannot be predicted. Some drivers claim to
   * spread TCP but show neither key nor table. The octets of the key behind those for IPv4 are used
   * only if the port also spreads TCP over IPv6.
   */
  private static FlowSteering steering(EthernetPort port, int queues) {
    byte[] key = port.rssKey();
    int[] table = port.rssTable();
    boolean known =
        key.length >= Toeplitz.SHORTEST_KEY
            && Integer.bitCount(table.length) == 1
            && Arrays.stream(table).allMatch(queue -> queue < queues);
    int used = port.info().spreadsTcpOverIpv6() ? key.length : Toeplitz.SHORTEST_KEY;
    return known ? new FlowSteering(new Toeplitz(Arrays.copyOf(key, used)), table) : null;
  }

  /** Whether the port starts with interrupts: some drivers refuse them if the card has none. */
  private static boolean start(
      EthernetPort port, PortSettings settings, List<Mempool> pools, byte[] key) {
    try {
      port.configure(settings, pools, key);
      port.start();
      return true;
    } catch (DpdkException refused) {
      return false;
    }
  }

  /** The interrupt of a ring: a sleeping thread is not woken by another thread's frames. */
  private int ringInterrupt() {
    return engine.engines() == EngineThreads.SHARED ? FrameDevice.OWN_THREAD : FrameDevice.POLLED;
  }

  private void checkMtu(InterfaceConfiguration configured, EthernetPort port) {
    if (configured.mtu() > port.info().maxMtu()) {
      throw refused(
          "mtu",
          port.info().name()
              + " does not carry "
              + configured.mtu()
              + "; allowed: at most "
              + port.info().maxMtu(),
          null);
    }
  }

  /**
   * A pool for an interface's packets.
   *
   * @param node NUMA node whose memory is preferred, or -1
   */
  private Mempool mempool(String kind, InterfaceConfiguration configured, int packets, int node) {
    return mempool(kind, packets, CACHE, FrameLengths.room(configured), node);
  }

  /** A pool for an interface's long packets. */
  private Mempool longMempool(InterfaceConfiguration configured, int packets) {
    int cache = Math.min(LONG_CACHE, packets / 4);
    return mempool("long", packets, cache, FrameLengths.longRoom(configured), ANY_NODE);
  }

  private Mempool mempool(String kind, int packets, int cache, int room, int node) {
    String name = kind + MEMPOOLS.getAndIncrement();
    Mempool mempool;
    try {
      mempool = Mempool.create(name, packets, cache, MbufLayout.HEADROOM + room, node);
    } catch (DpdkException e) {
      if (node != ANY_NODE) {
        return mempool(kind, packets, cache, room, ANY_NODE);
      }
      throw refused(
          "packets",
          "no memory is left for "
              + packets
              + " packets; allowed: fewer packets, a smaller mtu, or more memory under [dpdk]",
          e);
    }
    mempools.add(mempool);
    return mempool;
  }

  private String deviceFailure(InterfaceConfiguration configured, DpdkException e, long mark) {
    DeviceName device = configured.device();
    String said = output == null ? "" : DriverWords.reason(output.since(mark));
    if (DriverWords.isUnknownDriver(said)) {
      return "DPDK has no driver for " + device.name() + "; " + Drivers.suggestion(device.driver());
    }
    if (output == null) {
      return e.getMessage();
    }
    return "cannot be opened"
        + (said.isEmpty() ? ": " + e.reason() : said)
        + "; allowed: arguments that docs/dpdk.md lists, a device that no other process has, and"
        + " the rights that its driver needs";
  }

  /** A problem with the interface that is being opened. */
  private MachineException refused(String key, String message, DpdkException cause) {
    int number = interfaces + 1;
    return new MachineException(MachineProblem.ofInterface(number, key, message), cause);
  }

  @Override
  public List<DpdkDevice> devices() {
    return List.copyOf(devices);
  }

  @Override
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  @Override
  public EspCipher.Factory ciphers() {
    return new NativeCiphers();
  }

  @Override
  public void enter() {
    Eal.registerThread();
  }

  @Override
  public void leave() {
    Eal.unregisterThread();
  }

  /** Closes the devices, then rings, mempools and DPDK. No engine may be running. */
  @Override
  public void close() {
    devices.forEach(DpdkDevice::close);
    devices.clear();
    pairs.values().forEach(RingPair::close);
    pairs.clear();
    mempools.forEach(Mempool::close);
    mempools.clear();
    if (first) {
      Eal.cleanup();
    }
  }
}
