package org.rddp.daemon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
import org.rddp.device.FrameDevice;
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
import org.rddp.dpdk.device.PortOffloads;
import org.rddp.dpdk.device.RingCopier;

/**
 * Starts DPDK and opens the ports of a configuration: one device for each interface, in the order
 * of the configuration. At most once per process.
 */
public final class DpdkPorts implements Ports {
  /** Number of a mempool's buffers in each thread's cache. */
  private static final int CACHE = 256;

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

  private final EngineConfiguration engine;
  private final NativeOutput output;

  private DpdkPorts(EngineConfiguration engine, NativeOutput output) {
    this.engine = engine;
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
   * Keeps the output of the whole process meanwhile, and passes it on to standard error only if all
   * went well: after a failure the exception says what of it matters.
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
          // DPDK was not asked: the message is complete.
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
    // A configured log level asks for all of the messages.
    boolean whole =
        configuration.dpdk().arguments().stream().anyMatch(each -> each.contains("log-level"));
    System.err.print(whole ? said : DriverWords.remarkable(said));
    return ports;
  }

  private static DpdkPorts open(
      Configuration configuration, Consumer<InterfaceConfiguration> before, NativeOutput output) {
    try {
      Eal.init(arguments(configuration).list());
    } catch (DpdkException e) {
      Eal.removeLeftovers(ProcessHandle.current().pid());
      throw e;
    }
    DpdkPorts ports = new DpdkPorts(configuration.engine(), output);
    try {
      for (InterfaceConfiguration each : configuration.interfaces()) {
        before.accept(each);
        ports.devices.add(ports.open(each));
      }
      return ports;
    } catch (RuntimeException e) {
      ports.close();
      throw e;
    }
  }

  private static EalArguments arguments(Configuration configuration) {
    DpdkConfiguration dpdk = configuration.dpdk();
    int mebibytes = (int) (dpdk.memory() >> 20);
    EalArguments arguments =
        dpdk.hugepages()
            ? EalArguments.hugepages().and("-m", Integer.toString(mebibytes))
            : EalArguments.ordinaryPages(mebibytes, "rddp-" + ProcessHandle.current().pid());
    for (InterfaceConfiguration each : configuration.interfaces()) {
      if (each.deviceName().kind() == DeviceName.Kind.PCI) {
        arguments = arguments.withPciDevice(dpdkArguments(each));
      }
    }
    // Without it, DPDK prints lines without times to standard error. Later arguments override it.
    return arguments.and(EAL_LOG).and(dpdk.arguments().toArray(String[]::new));
  }

  private static String dpdkArguments(InterfaceConfiguration configured) {
    return configured.deviceName().dpdkArguments(FrameLengths.frame(configured));
  }

  private DpdkDevice open(InterfaceConfiguration configured) {
    if (configured.isRing()) {
      return openRing(configured);
    }
    long mark = output == null ? 0 : output.mark();
    EthernetPort port;
    try {
      port = EthernetPort.attach(dpdkArguments(configured));
    } catch (DpdkException e) {
      throw refused("device", deviceFailure(configured, e, mark), e);
    }
    try {
      // Packets come from the memory of the card's NUMA node, if it has some left.
      Mempool mempool = mempool("port", configured, port.info().socket());
      return start(configured, port, mempool, null, port.info().macAddress(), port::close);
    } catch (DpdkException e) {
      port.close();
      throw refused("device", deviceFailure(configured, e, mark), e);
    } catch (RuntimeException e) {
      port.close();
      throw e;
    }
  }

  private DpdkDevice openRing(InterfaceConfiguration configured) {
    Mempool mempool = mempool("port", configured, ANY_NODE);
    String name = configured.ringName();
    boolean second = pairs.containsKey(name);
    RingPair pair;
    try {
      pair = pairs.computeIfAbsent(name, each -> RingPair.create(each, configured.descriptors()));
    } catch (DpdkException e) {
      throw refused("device", e.getMessage(), e);
    }
    Mempool link = linkPools.computeIfAbsent(name, each -> mempool("link", configured, ANY_NODE));
    EthernetPort port = second ? pair.second() : pair.first();
    // DPDK gives both ends of a ring pair the same MAC address, so each gets a unique one.
    long macAddress = LOCAL_MAC + devices.size();
    try {
      return start(configured, port, mempool, new RingCopier(link), macAddress, port::stop);
    } catch (RuntimeException e) {
      port.stop();
      throw e;
    }
  }

  private DpdkDevice start(
      InterfaceConfiguration configured,
      EthernetPort port,
      Mempool mempool,
      RingCopier copier,
      long macAddress,
      Runnable closer) {
    checkMtu(configured, port);
    PortOffloads offloads = PortOffloads.of(port.info());
    PortSettings settings =
        PortSettings.DEFAULTS
            .withSlots(configured.descriptors(), configured.descriptors())
            .withMtu(configured.mtu())
            .withOffloads(offloads.receive(), offloads.transmit());
    boolean interrupts = engine.idle() == IdleMode.INTERRUPT && !configured.isRing();
    if (!interrupts || !start(port, settings.withInterrupts(true), mempool)) {
      port.configure(settings, mempool);
      port.start();
    }
    int interrupt = interrupts ? port.interruptDescriptor(0) : FrameDevice.POLLED;
    return new DpdkDevice(
        port,
        new MbufPool(mempool),
        copier,
        macAddress,
        configured.mtu(),
        offloads.offered(),
        configured.isRing() ? ringInterrupt() : interrupt,
        closer);
  }

  /** Whether the port starts with interrupts: some drivers refuse it where the card has none. */
  private static boolean start(EthernetPort port, PortSettings settings, Mempool mempool) {
    try {
      port.configure(settings, mempool);
      port.start();
      return true;
    } catch (DpdkException refused) {
      return false;
    }
  }

  /** How a thread that sleeps learns of a ring's frames: another thread does not wake it. */
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
  private Mempool mempool(String kind, InterfaceConfiguration configured, int node) {
    String name = kind + mempools.size();
    int octets = MbufLayout.HEADROOM + FrameLengths.room(configured);
    Mempool mempool;
    try {
      mempool = Mempool.create(name, configured.packets(), CACHE, octets, node);
    } catch (DpdkException e) {
      if (node != ANY_NODE) {
        return mempool(kind, configured, ANY_NODE);
      }
      throw refused(
          "packets",
          "no memory is left for "
              + configured.packets()
              + " packets; allowed: fewer packets, a smaller mtu, or more memory under [dpdk]",
          e);
    }
    mempools.add(mempool);
    return mempool;
  }

  private String deviceFailure(InterfaceConfiguration configured, DpdkException e, long mark) {
    DeviceName device = configured.deviceName();
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
    int number = devices.size() + 1;
    return new MachineException(MachineProblem.ofInterface(number, key, message), cause);
  }

  @Override
  public List<DpdkDevice> devices() {
    return List.copyOf(devices);
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
    Eal.cleanup();
  }
}
