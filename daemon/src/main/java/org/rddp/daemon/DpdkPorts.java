package org.rddp.daemon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.DeviceName;
import org.rddp.daemon.configuration.DpdkConfiguration;
import org.rddp.daemon.configuration.FrameLengths;
import org.rddp.daemon.configuration.InterfaceConfiguration;
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

  /** The first MAC address of ring ports, locally administered; further ports count up from it. */
  private static final long LOCAL_MAC = 0x02_00_00_00_00_01L;

  private final List<DpdkDevice> devices = new ArrayList<>();
  private final List<Mempool> mempools = new ArrayList<>();
  private final Map<String, RingPair> pairs = new HashMap<>();
  private final Map<String, Mempool> linkPools = new HashMap<>();

  private DpdkPorts() {}

  /**
   * Starts DPDK and opens the ports.
   *
   * @throws DpdkException if DPDK fails; the message says what to do. Ports opened before are
   *     closed
   * @throws IllegalStateException if there is not enough memory for the packets; handled in the
   *     same way
   */
  public static DpdkPorts open(Configuration configuration) {
    return open(configuration, each -> {});
  }

  /**
   * Starts DPDK and opens the ports, with an action before each of them. For example, the action
   * can enter the network namespace of a port on a Linux interface.
   *
   * @param before called before each port is opened
   * @throws DpdkException if DPDK fails; the message says what to do. Ports opened before are
   *     closed
   * @throws IllegalStateException if there is not enough memory for the packets; handled in the
   *     same way
   */
  public static DpdkPorts open(
      Configuration configuration, Consumer<InterfaceConfiguration> before) {
    Eal.init(arguments(configuration).list());
    DpdkPorts ports = new DpdkPorts();
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
    return arguments.and(dpdk.arguments().toArray(String[]::new));
  }

  private static String dpdkArguments(InterfaceConfiguration configured) {
    return configured.deviceName().dpdkArguments(FrameLengths.frame(configured));
  }

  private DpdkDevice open(InterfaceConfiguration configured) {
    int room = FrameLengths.room(configured);
    Mempool mempool = mempool("port", configured, room);
    EthernetPort port;
    PortOffloads offloads;
    RingCopier copier = null;
    Runnable closer;
    if (configured.isRing()) {
      String name = configured.ringName();
      boolean second = pairs.containsKey(name);
      RingPair pair =
          pairs.computeIfAbsent(name, each -> RingPair.create(each, configured.descriptors()));
      Mempool link = linkPools.computeIfAbsent(name, each -> mempool("link", configured, room));
      port = second ? pair.second() : pair.first();
      copier = new RingCopier(link);
      closer = port::stop;
    } else {
      port = EthernetPort.attach(dpdkArguments(configured));
      closer = port::close;
    }
    try {
      offloads = PortOffloads.of(port.info());
      PortSettings settings = settings(configured, port);
      port.configure(settings.withOffloads(offloads.receive(), offloads.transmit()), mempool);
      port.start();
    } catch (RuntimeException e) {
      closer.run();
      throw e;
    }
    // DPDK gives both ends of a ring pair the same MAC address, so each gets a unique one.
    long macAddress = configured.isRing() ? LOCAL_MAC + devices.size() : port.info().macAddress();
    return new DpdkDevice(
        port,
        new MbufPool(mempool),
        copier,
        macAddress,
        configured.mtu(),
        offloads.offered(),
        closer);
  }

  private static PortSettings settings(InterfaceConfiguration configured, EthernetPort port) {
    if (configured.mtu() > port.info().maxMtu()) {
      throw new IllegalArgumentException(
          "interface "
              + configured.name()
              + ": the device "
              + port.info().name()
              + " supports an MTU of at most "
              + port.info().maxMtu()
              + ", not "
              + configured.mtu());
    }
    return PortSettings.DEFAULTS
        .withSlots(configured.descriptors(), configured.descriptors())
        .withMtu(configured.mtu());
  }

  private Mempool mempool(String kind, InterfaceConfiguration configured, int room) {
    String name = kind + mempools.size();
    try {
      int octets = MbufLayout.HEADROOM + room;
      Mempool mempool = Mempool.create(name, configured.packets(), CACHE, octets, -1);
      mempools.add(mempool);
      return mempool;
    } catch (DpdkException e) {
      throw new IllegalStateException(
          ("interface %s: not enough memory for its %d packets: raise 'memory' under [dpdk], or"
                  + " lower the interface's 'packets' or 'mtu' (%s)")
              .formatted(configured.name(), configured.packets(), e.getMessage()),
          e);
    }
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
