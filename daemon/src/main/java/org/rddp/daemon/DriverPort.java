package org.rddp.daemon;

import java.io.IOException;
import java.math.BigInteger;
import java.net.NetworkInterface;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rddp.daemon.configuration.DeviceName;
import org.rddp.daemon.configuration.FrameLengths;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.MachineException;
import org.rddp.daemon.configuration.MachineProblem;
import org.rddp.daemon.packet.TapQueues;
import org.rddp.device.FlowSteering;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.dpdk.DpdkException;
import org.rddp.dpdk.EthernetPort;
import org.rddp.dpdk.Mempool;
import org.rddp.dpdk.PortSettings;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.dpdk.device.PortOffloads;
import org.rddp.wire.Toeplitz;

/**
 * A port of one of DPDK's drivers. Some of them can be in several processes at a time: {@link
 * #release} does nothing then.
 */
final class DriverPort implements MovablePort {
  private static final byte[] NO_KEY = {};

  private final int number;
  private final InterfaceConfiguration configured;
  private final boolean interrupts;
  private final List<Mempool> mempools;
  private final List<MbufPool> pools;
  private final List<String> warnings;
  private final SecureRandom random = new SecureRandom();
  private final List<DpdkDevice> devices = new ArrayList<>();

  /** Null before the first {@link #take}. */
  private EthernetPort port;

  /** The queues of a TAP interface while another process has it; else null. */
  private TapQueues detached;

  /** The key of the port's hash: the devices go by it, also when it is opened again. */
  private byte[] key;

  private boolean taken;

  /**
   * Creates one without a device.
   *
   * @param number of the interface, from 1
   * @param interrupts whether received frames are to be signalled, if the driver can
   * @param mempools one for each engine
   * @param pools of these
   * @param warnings takes what an operator should know
   */
  DriverPort(
      int number,
      InterfaceConfiguration configured,
      boolean interrupts,
      List<Mempool> mempools,
      List<MbufPool> pools,
      List<String> warnings) {
    this.number = number;
    this.configured = configured;
    this.interrupts = interrupts;
    this.mempools = mempools;
    this.pools = pools;
    this.warnings = warnings;
  }

  @Override
  public List<DpdkDevice> devices() {
    return devices;
  }

  private String driver() {
    return configured.device().driver();
  }

  private boolean isTap() {
    return driver().equals("net_tap");
  }

  // ---- Between processes ----

  @Override
  public void take(long macAddress, NativeOutput output) {
    if (taken) {
      return;
    }
    if (detached != null) {
      attachQueues();
    } else {
      open(macAddress, output);
    }
    taken = true;
  }

  @Override
  public void release() {
    if (!taken || !configured.device().isExclusive()) {
      return;
    }
    if (isTap()) {
      detachQueues();
    } else {
      port.close();
    }
    taken = false;
  }

  /**
   * Closes the port. A TAP that another process has stays as it is until this process ends: the
   * driver would turn the interface off.
   */
  void close() {
    if (taken) {
      port.close();
      taken = false;
    }
  }

  /**
   * A TAP interface of the kernel has its addresses, routes and own MAC address as long as somebody
   * has it open, and loses routes when the driver turns it off. So it is never closed between two
   * processes.
   */
  private void detachQueues() {
    try {
      TapQueues queues = TapQueues.of(configured.device().arguments().get("iface"));
      queues.detach();
      detached = queues;
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private void attachQueues() {
    try {
      detached.attach();
      detached = null;
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private MachineException failure(IOException e) {
    return refused("device", configured.device().name() + ": " + e.getMessage(), null);
  }

  // ---- The port ----

  private void open(long macAddress, NativeOutput output) {
    String arguments = arguments(macAddress);
    long mark = output == null ? 0 : output.mark();
    try {
      if (port == null) {
        port = EthernetPort.attach(arguments);
      } else {
        port.reattach(arguments);
      }
    } catch (DpdkException e) {
      throw refused("device", deviceFailure(e, output, mark), e);
    }
    try {
      start(macAddress);
    } catch (DpdkException e) {
      port.close();
      throw refused("device", deviceFailure(e, output, mark), e);
    } catch (RuntimeException e) {
      port.close();
      throw e;
    }
  }

  /**
   * The driver of a TAP gives the kernel's interface the port's address: it gets what it has. That
   * of virtio-user would choose a new one.
   */
  private String arguments(long macAddress) {
    DeviceName device = configured.device();
    if (macAddress != ANY_ADDRESS && isTap()) {
      device = device.with("mac", kernelAddress(device.arguments().get("iface")));
    } else if (macAddress != ANY_ADDRESS && device.isVirtioUser()) {
      device = device.with("mac", MacAddresses.words(macAddress));
    }
    return device.dpdkArguments(FrameLengths.frame(configured), configured.engines());
  }

  private String kernelAddress(String name) {
    try {
      byte[] octets = NetworkInterface.getByName(name).getHardwareAddress();
      return MacAddresses.words(new BigInteger(1, octets).longValue());
    } catch (IOException | NullPointerException e) {
      throw refused("device", "there is no Linux interface " + name + " any more", null);
    }
  }

  private void start(long macAddress) {
    checkQueues();
    PortSettings settings = settings(number, configured, port).withQueues(pools.size());
    boolean isLong = configured.longestFrame() > configured.mtu();
    int offered = PortOffloads.of(port.info(), isLong).offered();
    checkLongestFrame(isLong && !Offloads.cutTrains(offered));
    boolean signals = start(settings);
    if (configured.ipv6().isPresent() && !port.receiveMulticast()) {
      warnings.add(noMulticast());
    }
    FlowSteering steering = pools.size() == 1 ? null : steering();
    if (!devices.isEmpty()) {
      reopened(offered, signals);
      return;
    }
    long address = macAddress == ANY_ADDRESS ? port.info().macAddress() : macAddress;
    for (int i = 0; i < pools.size(); i++) {
      devices.add(
          new DpdkDevice(
              port,
              i,
              steering,
              pools.get(i),
              null,
              address,
              configured.mtu(),
              isLong ? configured.longestFrame() : configured.mtu(),
              offered,
              interrupt(signals, i),
              i == 0 ? this::close : () -> {}));
    }
  }

  /** Lets the engines' devices go on with the port that has been opened again. */
  private void reopened(int offered, boolean signals) {
    if (offered != devices.getFirst().offloads()) {
      throw refused("device", port.info().name() + " has other offloads than before", null);
    }
    for (int i = 0; i < devices.size(); i++) {
      devices.get(i).reopened(interrupt(signals, i));
    }
  }

  private int interrupt(boolean signals, int queue) {
    return signals ? port.interruptDescriptor(queue) : FrameDevice.POLLED;
  }

  private void checkLongestFrame(boolean missing) {
    if (missing) {
      throw refused(
          "longest-frame",
          configured.device().name()
              + " does not cut frames into segments (TCP_TSO); allowed: no 'longest-frame'"
              + (driver().equals("net_virtio_user")
                  ? ", or tso=1 among the arguments of the other end, net_vhost"
                  : ""),
          null);
    }
  }

  private void checkQueues() {
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

  private String noMulticast() {
    return "interface %s: its driver, %s, receives no multicast, so neighbours cannot find its IPv6"
            .formatted(configured.name(), port.info().driver())
        + " addresses (RFC 4861); use IPv4, or another driver";
  }

  /** Starts the port; returns whether it signals received frames. */
  private boolean start(PortSettings settings) {
    boolean spreads = pools.size() > 1 && port.info().spreadsTcp();
    PortSettings wanted = settings.withSpreadTcp(spreads);
    // A key of our own: peers that know the driver's could send everything to one queue.
    int octets = spreads ? port.info().rssKeyOctets() : 0;
    if (key == null) {
      key = octets == 0 ? NO_KEY : Toeplitz.randomKey(octets, random);
    }
    if (interrupts && port.passesInterrupts() && starts(wanted.withInterrupts(true))) {
      return true;
    }
    port.configure(wanted, mempools, key);
    port.start();
    return false;
  }

  /** Whether the port starts with interrupts: some drivers refuse them if the card has none. */
  private boolean starts(PortSettings settings) {
    try {
      port.configure(settings, mempools, key);
      port.start();
      return true;
    } catch (DpdkException refused) {
      return false;
    }
  }

  /**
   * How a port chooses a receive queue; null if that cannot be predicted. Some drivers claim to
   * spread TCP but show neither key nor table. The octets of the key behind those for IPv4 are used
   * only if the port also spreads TCP over IPv6.
   */
  private FlowSteering steering() {
    byte[] key = port.rssKey();
    int[] table = port.rssTable();
    int queues = pools.size();
    boolean known =
        key.length >= Toeplitz.SHORTEST_KEY
            && Integer.bitCount(table.length) == 1
            && Arrays.stream(table).allMatch(queue -> queue < queues);
    int used = port.info().spreadsTcpOverIpv6() ? key.length : Toeplitz.SHORTEST_KEY;
    return known ? new FlowSteering(new Toeplitz(Arrays.copyOf(key, used)), table) : null;
  }

  /**
   * The settings of a port for an interface, for one queue.
   *
   * @param number of the interface, from 1
   * @throws MachineException if the port does not carry the interface's MTU
   */
  static PortSettings settings(int number, InterfaceConfiguration configured, EthernetPort port) {
    if (configured.mtu() > port.info().maxMtu()) {
      throw refused(
          number,
          "mtu",
          port.info().name()
              + " does not carry "
              + configured.mtu()
              + "; allowed: at most "
              + port.info().maxMtu(),
          null);
    }
    PortOffloads offloads =
        PortOffloads.of(port.info(), configured.longestFrame() > configured.mtu());
    return PortSettings.DEFAULTS
        .withSlots(configured.descriptors(), configured.descriptors())
        .withMtu(configured.mtu())
        .withOffloads(offloads.receive(), offloads.transmit());
  }

  private String deviceFailure(DpdkException e, NativeOutput output, long mark) {
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

  private MachineException refused(String key, String message, DpdkException cause) {
    return refused(number, key, message, cause);
  }

  /** A problem with an interface. */
  static MachineException refused(int number, String key, String message, DpdkException cause) {
    return new MachineException(MachineProblem.ofInterface(number, key, message), cause);
  }
}
