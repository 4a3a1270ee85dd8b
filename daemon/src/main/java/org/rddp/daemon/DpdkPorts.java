package org.rddp.daemon;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
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
import org.rddp.device.FlowSteering;
import org.rddp.device.FrameDevice;
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
import org.rddp.ipc.linux.PairedSocket;
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
  private static final int MORE = 96;

  /** Mempools that this process has made: each has a name of its own. */
  private static final AtomicInteger MEMPOOLS = new AtomicInteger();

  /** No NUMA node is preferred. */
  private static final int ANY_NODE = -1;

  private static final String ALLOWED_EAL =
      "allowed: 'arguments' that are options of DPDK's EAL, and memory that is free";

  /** The first MAC address of ring ports, locally administered; further ports count up from it. */
  private static final long LOCAL_MAC = 0x02_00_00_00_00_01L;

  /** DPDK looks for cards if it may use one, and opens those at the start. No card is there. */
  private static final String NO_CARD = "ffff:ff:1f.7";

  private static final String EAL_LOG = "--log-level=lib.eal:warning";

  /** The devices of each interface that is not in {@link #movable}. */
  private final Map<Integer, List<DpdkDevice>> others = new HashMap<>();

  /** By the numbers of their interfaces, from 1. */
  private final SortedMap<Integer, MovablePort> movable = new TreeMap<>();

  private final List<Mempool> mempools = new ArrayList<>();
  private final Map<String, RingPair> pairs = new HashMap<>();
  private final Map<String, Mempool> linkPools = new HashMap<>();

  /** The second ends of pairs of sockets, by the rings' names. */
  private final Map<String, PairedSocket> ends = new HashMap<>();

  private final Configuration configuration;
  private final EngineConfiguration engine;

  /** Keeps what the process prints while ports are opened at the start; else null. */
  private NativeOutput output;

  /** Whether DPDK ends with these ports. */
  private final boolean first;

  private final SecureRandom random = new SecureRandom();

  /** How the ends of rings with several engines choose their queues, by the interface's name. */
  private final Map<String, FlowSteering> ringSteering = new HashMap<>();

  private final List<String> warnings = new ArrayList<>();

  /** Whether another process has the devices that one process can have at a time. */
  private final boolean arriving;

  /** Whether rings are pairs of sockets. */
  private final boolean bySockets;

  /** The interface that is being opened, from 1. */
  private int number;

  private DpdkPorts(
      Configuration configuration,
      NativeOutput output,
      boolean first,
      boolean arriving,
      boolean bySockets) {
    this.configuration = configuration;
    this.bySockets = bySockets;
    this.first = first;
    this.arriving = arriving;
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
    return open(configuration, before, null, false);
  }

  /**
   * Checks that the machine has what the configuration names, starts DPDK and opens the ports.
   * Captures the output of the whole process during that time, and passes it on to standard error
   * only on success: after a failure the exception quotes what matters of it.
   *
   * @param before called before each port is opened; may throw, which is handled as a failure
   * @param arriving whether another process has the devices that one process can have at a time:
   *     {@link #take} opens them
   * @throws MachineException if something cannot be used; names the key. Ports opened before are
   *     closed
   * @throws IOException if the output cannot be kept
   */
  public static DpdkPorts openQuietly(
      Configuration configuration, Consumer<InterfaceConfiguration> before, boolean arriving)
      throws IOException {
    List<MachineProblem> problems = MachineChecks.problems(configuration);
    if (!problems.isEmpty()) {
      throw new MachineException(problems);
    }
    String said;
    DpdkPorts ports;
    try (NativeOutput kept = NativeOutput.keep()) {
      try {
        ports = open(configuration, before, kept, arriving);
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
      ports.output = null;
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
    return openMore(configuration, false);
  }

  /**
   * Opens the ports of a further configuration in a process that has started DPDK, for a rehearsal.
   *
   * @param bySockets whether each ring is a pair of sockets, by which frames pass as on a {@code
   *     linux:} interface
   * @throws MachineException if a device, or the memory for its packets, cannot be used
   */
  public static DpdkPorts openMore(Configuration configuration, boolean bySockets) {
    return new DpdkPorts(configuration, null, false, false, bySockets).open(each -> {});
  }

  private static DpdkPorts open(
      Configuration configuration,
      Consumer<InterfaceConfiguration> before,
      NativeOutput output,
      boolean arriving) {
    List<String> arguments = arguments(configuration, arriving).list();
    if (output == null) {
      Eal.init(arguments);
    } else {
      Eal.init(arguments, output.file(), output.standardError());
    }
    return new DpdkPorts(configuration, output, true, arriving, false).open(before);
  }

  private DpdkPorts open(Consumer<InterfaceConfiguration> before) {
    try {
      for (InterfaceConfiguration each : configuration.interfaces()) {
        before.accept(each);
        number++;
        open(each);
      }
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static EalArguments arguments(Configuration configuration, boolean arriving) {
    DpdkConfiguration dpdk = configuration.dpdk();
    int mebibytes = (int) (dpdk.memory() >> 20);
    EalArguments arguments =
        dpdk.hugepages()
            ? EalArguments.hugepages().and("-m", Integer.toString(mebibytes))
            : EalArguments.ordinaryPages(mebibytes + MORE);
    for (InterfaceConfiguration each : configuration.interfaces()) {
      if (each.device().kind() == DeviceName.Kind.PCI) {
        arguments = arguments.withPciDevice(arriving ? NO_CARD : dpdkArguments(each));
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

  private void open(InterfaceConfiguration configured) {
    if (configured.isRing()) {
      others.put(number, bySockets ? openPair(configured) : openRing(configured));
    } else if (configured.usesPacketSockets()) {
      others.put(number, openPacketSockets(configured));
    } else {
      MovablePort port =
          configured.device().kind() == DeviceName.Kind.XDP
              ? xdpInterface(configured)
              : driverPort(configured);
      movable.put(number, port);
      if (!arriving || !configured.device().isExclusive()) {
        port.take(MovablePort.ANY_ADDRESS, output);
      }
    }
  }

  private DriverPort driverPort(InterfaceConfiguration configured) {
    // Packets come from the memory of the card's NUMA node, if it has some left.
    DeviceName device = configured.device();
    int node =
        device.kind() == DeviceName.Kind.PCI ? PciCards.OF_MACHINE.node(device.name()) : ANY_NODE;
    List<Mempool> own = mempools(configured, node);
    boolean isLong = configured.longestFrame() > configured.mtu();
    List<MbufPool> pools = new ArrayList<>();
    for (Mempool each : own) {
      pools.add(new MbufPool(each, isLong ? longMempoolOfEngine(configured) : null));
    }
    return new DriverPort(number, configured, interrupts(), own, pools, warnings);
  }

  private XdpInterface xdpInterface(InterfaceConfiguration configured) {
    List<MbufPool> pools =
        mempools(configured, ANY_NODE).stream().map(each -> new MbufPool(each, null)).toList();
    return new XdpInterface(number, configured, interrupts(), pools, warnings);
  }

  private boolean interrupts() {
    return engine.idle() == IdleMode.INTERRUPT;
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
    return devices(configured, port, pools, offered, interrupts(port), port::close);
  }

  /** The devices of a port by sockets of a Linux interface. */
  static List<DpdkDevice> devices(
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
              interrupt.applyAsInt(i),
              i == 0 ? closer : () -> {}));
    }
    return opened;
  }

  private IntUnaryOperator interrupts(PacketPort port) {
    return interrupts() ? port::interruptDescriptor : each -> FrameDevice.POLLED;
  }

  private static String smallBuffer(InterfaceConfiguration configured, int granted) {
    return ("interface %s: the kernel keeps only %d KiB of received frames, so some may be lost;"
            + " give the daemon CAP_NET_ADMIN, or raise net.core.rmem_max to %d")
        .formatted(configured.name(), granted >> 10, PacketPort.BUFFER);
  }

  /** An end of a ring that is a pair of sockets. */
  private List<DpdkDevice> openPair(InterfaceConfiguration configured) {
    PairedSocket end = ends.remove(configured.ringName());
    if (end == null) {
      try {
        PairedSocket[] pair = PairedSocket.ofMessages("rddp-rehearsal");
        end = pair[0];
        ends.put(configured.ringName(), pair[1]);
      } catch (SystemCallException e) {
        throw refused("device", "no pair of sockets: " + e.getMessage(), null);
      }
    }
    Mempool ordinary = mempools(configured, ANY_NODE).getFirst();
    MbufPool pool = new MbufPool(ordinary, longMempoolOfEngine(configured));
    PacketPort port = PacketPort.ofPair(end, LOCAL_MAC + number - 1, pool);
    int offered = PortOffloads.VIRTIO_HEADERS.offered();
    return devices(configured, port, List.of(pool), offered, interrupts(port), port::close);
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
    long macAddress = LOCAL_MAC + number - 1;
    try {
      PortSettings settings = DriverPort.settings(number, configured, port);
      port.configure(settings.withQueues(pools.size(), peer.engines()), pools, NO_KEY);
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

  private List<Mempool> mempools(InterfaceConfiguration configured, int node) {
    List<Mempool> pools = new ArrayList<>();
    for (int i = 0; i < configured.engines(); i++) {
      pools.add(mempool("port", configured, configured.packetsOfEngine(), node));
    }
    return pools;
  }

  /** The interrupt of a ring: a sleeping thread is not woken by another thread's frames. */
  private int ringInterrupt() {
    return engine.engines() == EngineThreads.SHARED ? FrameDevice.OWN_THREAD : FrameDevice.POLLED;
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

  /** A problem with the interface that is being opened. */
  private MachineException refused(String key, String message, DpdkException cause) {
    return DriverPort.refused(number, key, message, cause);
  }

  /** {@inheritDoc} Those of devices that another process has had all the time are missing. */
  @Override
  public List<DpdkDevice> devices() {
    List<DpdkDevice> all = new ArrayList<>();
    for (int i = 1; i <= number; i++) {
      MovablePort port = movable.get(i);
      all.addAll(port == null ? others.getOrDefault(i, List.of()) : port.devices());
    }
    return all;
  }

  @Override
  public void release() {
    movable.values().forEach(MovablePort::release);
  }

  @Override
  public void take(Map<String, Long> macAddresses) throws IOException {
    try {
      movable.forEach((each, port) -> {
        String name = configuration.interfaces().get(each - 1).name();
        port.take(macAddresses.getOrDefault(name, MovablePort.ANY_ADDRESS), output);
      });
    } catch (MachineException e) {
      throw new IOException(e.getMessage(), e);
    }
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
    devices().forEach(DpdkDevice::close);
    others.clear();
    movable.clear();
    ends.values().forEach(PairedSocket::close);
    ends.clear();
    pairs.values().forEach(RingPair::close);
    pairs.clear();
    mempools.forEach(Mempool::close);
    mempools.clear();
    if (first) {
      Eal.cleanup();
    }
  }
}
