package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.rddp.dpdk.generated.Dpdk;
import org.rddp.dpdk.generated.rddp_port_config;
import org.rddp.dpdk.generated.rddp_port_info;
import org.rddp.dpdk.generated.rddp_port_stats;

/**
 * An Ethernet port of DPDK. After it has been found, configured and started, frames are received
 * and transmitted in bursts.
 *
 * <p>{@link #receive} and {@link #transmit} of a queue must always be called by the same thread,
 * other methods by one thread at a time; {@link #up}, {@link #peerTakesLong} and {@link
 * #statistics} by any thread, also while the port is closed. Bursts are neither checked nor
 * synchronised: none may be running when the port is stopped.
 */
public final class EthernetPort implements BurstPort, AutoCloseable {
  /** Drivers whose bursts make system calls that may block, directly or through another driver. */
  private static final Set<String> BLOCKING_DRIVERS =
      Set.of(
          "net_af_packet",
          "net_af_xdp",
          "net_bonding",
          "net_failsafe",
          "net_kni",
          "net_pcap",
          "net_tap",
          "net_tun");

  /**
   * Drivers that report the standard frame as their maximum and refuse a larger MTU, but carry
   * longer frames if their own arguments allow. Their MTU stays 1500.
   */
  private static final Set<String> MODEST_DRIVERS = Set.of("net_af_packet", "net_memif");

  private static final byte[] NO_KEY = {};

  /**
   * Drivers that accept receive interrupts but do not pass them on. net_e1000_em takes every
   * interrupt for a change of the link, and turns the card off when the link is down; if another
   * thread is first to see the link up again, the card stays off.
   */
  private static final Set<String> SILENT_DRIVERS = Set.of("net_e1000_em");

  private final boolean mayBlock;
  private short port;
  private PortInfo info;
  private boolean started;
  private boolean closed;

  /** What was counted before it was closed and opened again. */
  private PortStatistics former = PortStatistics.NONE;

  private EthernetPort(int port) {
    this.port = (short) port;
    this.info = readInfo();
    this.mayBlock = BLOCKING_DRIVERS.contains(info.driver());
  }

  /**
   * Attaches a device to DPDK and opens its first port.
   *
   * @param deviceArguments a virtual device with its arguments, such as {@code
   *     net_vhost0,iface=/run/a.sock}, or the address of a PCI device that is bound to a driver for
   *     user space, such as {@code 0000:03:00.0}
   * @throws DpdkException if there is no such driver or device, or the driver refuses the arguments
   */
  public static EthernetPort attach(String deviceArguments) {
    return new EthernetPort(attached(deviceArguments));
  }

  private static int attached(String deviceArguments) {
    Eal.requireInitialised();
    try (Arena arena = Arena.ofConfined()) {
      int port = Dpdk.rddp_port_attach(arena.allocateFrom(deviceArguments));
      if (port < 0) {
        throw DpdkException.of(
            "open the device " + deviceArguments,
            port,
            "DPDK's own messages on standard error say more. Check the driver's name and its"
                + " arguments (docs/dpdk.md has those that work), that no other process has the"
                + " device, that no socket file is left from a process that was killed, and that"
                + " this process has the rights that the driver needs.");
      }
      return port;
    }
  }

  /**
   * Opens a closed port again, for what has it: the same device, which has to be configured and
   * started again. It goes on counting.
   *
   * @param deviceArguments as for {@link #attach}
   * @throws DpdkException as for {@link #attach}; the port stays closed
   */
  public synchronized void reattach(String deviceArguments) {
    port = (short) attached(deviceArguments);
    info = readInfo();
    closed = false;
  }

  /**
   * The port of a device that DPDK already knows, for example from the arguments of {@link
   * Eal#init}.
   *
   * @param name the device's name
   * @throws DpdkException if there is none; the message lists the existing devices
   */
  public static EthernetPort open(String name) {
    List<EthernetPort> ports = all();
    Optional<EthernetPort> found =
        ports.stream().filter(port -> port.info.name().equals(name)).findFirst();
    return found.orElseThrow(() ->
        DpdkException.refused(
            "DPDK has no port "
                + name
                + ". It has "
                + (ports.isEmpty()
                    ? "none: a device that fails in Eal.init is only reported on standard error"
                    : String.join(", ", ports.stream().map(port -> port.info.name()).toList()))
                + "."));
  }

  /** All the ports that DPDK knows. */
  public static List<EthernetPort> all() {
    Eal.requireInitialised();
    List<EthernetPort> ports = new ArrayList<>();
    for (int port = Dpdk.rddp_port_next((short) 0);
        port >= 0;
        port = Dpdk.rddp_port_next((short) (port + 1))) {
      ports.add(new EthernetPort(port));
    }
    return ports;
  }

  /** The port with a number that DPDK has just returned. */
  static EthernetPort ofNumber(int port) {
    return new EthernetPort(port);
  }

  /** The port's number in DPDK, for native code that works on the same port. */
  public int number() {
    return port;
  }

  @Override
  public PortInfo info() {
    return info;
  }

  /**
   * Whether a burst may block in the kernel. Such bursts are ordinary native calls, so that the
   * garbage collector need not wait for them; each costs about 5 ns more.
   */
  public boolean mayBlock() {
    return mayBlock;
  }

  /**
   * Configures a stopped port and its queues.
   *
   * @param pool the pool that its receive queues take buffers from
   * @throws DpdkException if the driver refuses; the port can be configured again
   */
  public void configure(PortSettings settings, Mempool pool) {
    configure(settings, Collections.nCopies(settings.receiveQueues(), pool), NO_KEY);
  }

  /**
   * Configures a stopped port and its queues.
   *
   * @param pools the pools that its receive queues take buffers from, one for each queue
   * @param rssKey the key of its hash, {@link PortInfo#rssKeyOctets} octets; empty for the driver's
   *     own
   * @throws DpdkException if the driver refuses; the port can be configured again
   */
  public void configure(PortSettings settings, List<Mempool> pools, byte[] rssKey) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment config = rddp_port_config.allocate(arena);
      MemorySegment capable = capabilities(arena);
      rddp_port_config.rx_queues(config, settings.receiveQueues());
      rddp_port_config.tx_queues(config, settings.transmitQueues());
      rddp_port_config.mtu(config, MODEST_DRIVERS.contains(info.driver()) ? 0 : settings.mtu());
      rddp_port_config.rx_interrupts(config, settings.interrupts() ? 1 : 0);
      rddp_port_config.rss_tcp(config, settings.spreadTcp() ? 1 : 0);
      rddp_port_config.rss_key_size(config, rssKey.length);
      MemorySegment.copy(
          rssKey,
          0,
          rddp_port_config.rss_key(config),
          ValueLayout.JAVA_BYTE,
          0,
          Math.min(rssKey.length, Dpdk.RDDP_RSS_KEY_SIZE()));
      rddp_port_config.rx_offloads(
          config,
          OffloadNames.RECEIVE.mask(
              settings.receiveOffloads(), rddp_port_info.rx_offloads(capable)));
      rddp_port_config.tx_offloads(
          config,
          OffloadNames.TRANSMIT.mask(
              settings.transmitOffloads(), rddp_port_info.tx_offloads(capable)));
      check(
          Dpdk.rddp_port_configure(port, config),
          "configure",
          "DPDK's own messages on standard error say more: an MTU or number of queues that the"
              + " driver does not have, or, for net_vhost, a socket file left behind by a process"
              + " that was killed, which must be removed. It was asked for "
              + settings
              + " and is "
              + info
              + ".");
      setUpQueues(settings, pools, arena);
    }
  }

  private void setUpQueues(PortSettings settings, List<Mempool> pools, Arena arena) {
    MemorySegment receiveSlots = slots(settings.receiveSlots(), info.defaultReceiveSlots(), arena);
    MemorySegment transmitSlots =
        slots(settings.transmitSlots(), info.defaultTransmitSlots(), arena);
    check(
        Dpdk.rddp_port_adjust_slots(port, receiveSlots, transmitSlots),
        "choose numbers of descriptors for",
        "It was asked for " + settings + " and is " + info + ".");
    for (int queue = 0; queue < settings.receiveQueues(); queue++) {
      Mempool pool = pools.get(queue);
      check(
          Dpdk.rddp_port_rx_queue(
              port,
              (short) queue,
              receiveSlots.get(ValueLayout.JAVA_SHORT, 0),
              info.socket(),
              MemorySegment.ofAddress(pool.address())),
          "set up receive queue " + queue + " of",
          "The buffers of pool "
              + pool.name()
              + " have "
              + pool.dataRoom()
              + " octets, headroom included: they must hold a frame of the MTU "
              + settings.mtu()
              + " and at least "
              + info.minReceiveBuffer()
              + " octets.");
    }
    for (int queue = 0; queue < settings.transmitQueues(); queue++) {
      check(
          Dpdk.rddp_port_tx_queue(
              port, (short) queue, transmitSlots.get(ValueLayout.JAVA_SHORT, 0), info.socket()),
          "set up transmit queue " + queue + " of",
          "It was asked for " + settings + " and is " + info + ".");
    }
  }

  private static MemorySegment slots(int wanted, int byDefault, Arena arena) {
    return arena.allocateFrom(ValueLayout.JAVA_SHORT, (short) (wanted == 0 ? byDefault : wanted));
  }

  /**
   * Starts the port; it begins to receive.
   *
   * @throws DpdkException if the driver refuses; the port can be started again
   */
  public void start() {
    check(
        Dpdk.rddp_port_start(port),
        "start",
        "DPDK's own messages on standard error say more. The port must be configured, the buffers"
            + " of its pool must hold a whole frame, and the server end of a net_memif must be"
            + " there before its client end.");
    started = true;
  }

  /**
   * Makes the started port receive all multicast frames, which Neighbour Discovery needs (RFC
   * 4861); every frame if the driver cannot receive multicast alone.
   *
   * @return false if the driver fails
   */
  public boolean receiveMulticast() {
    return Dpdk.rddp_port_receive_multicast(port) == 0;
  }

  /** The key with which the started port hashes TCP; empty if the driver does not report it. */
  public byte[] rssKey() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment key = arena.allocate(Dpdk.RDDP_RSS_KEY_SIZE());
      int octets = Dpdk.rddp_port_rss_key(port, key, (int) key.byteSize());
      return octets <= 0 ? NO_KEY : key.asSlice(0, octets).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /**
   * The started port's table from hashes to queues: the queue of a frame is at its hash modulo the
   * table's length. Empty if the driver does not report it.
   */
  public int[] rssTable() {
    try (Arena arena = Arena.ofConfined()) {
      int capacity = info.rssTableEntries();
      MemorySegment queues = arena.allocate(ValueLayout.JAVA_SHORT, Math.max(1, capacity));
      int entries = Dpdk.rddp_port_rss_table(port, queues, capacity);
      int[] table = new int[Math.max(0, entries)];
      for (int i = 0; i < table.length; i++) {
        table[i] = Short.toUnsignedInt(queues.getAtIndex(ValueLayout.JAVA_SHORT, i));
      }
      return table;
    }
  }

  /** Stops the port if it is started. No burst may be running. */
  public void stop() {
    if (started) {
      started = false;
      check(Dpdk.rddp_port_stop(port), "stop", "Close it.");
    }
  }

  /**
   * Stops and closes the port and removes its device. Buffers that it holds are returned to their
   * pools.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      former = counted();
      stop();
      closed = true;
      check(Dpdk.rddp_port_detach(port), "close", "It is not usable any more.");
    }
  }

  @Override
  public synchronized boolean up() {
    return !closed && check(Dpdk.rddp_port_link_up(port), "ask for the link of", "") == 1;
  }

  /**
   * Whether the peer of a net_vhost port has agreed to take frames of several TCP segments, over
   * IPv4 and IPv6. False while it has no peer, and for other drivers.
   */
  @Override
  public synchronized boolean peerTakesLong() {
    return !closed && Dpdk.rddp_port_peer_takes_long(port) == 1;
  }

  @Override
  public synchronized PortStatistics statistics() {
    if (closed) {
      return former;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stats = rddp_port_stats.allocate(arena);
      check(Dpdk.rddp_port_get_stats(port, stats), "ask for the statistics of", "");
      return former.plus(PortStatistics.of(stats));
    }
  }

  private PortStatistics counted() {
    try {
      return statistics();
    } catch (DpdkException notCounted) {
      return former;
    }
  }

  /**
   * A descriptor for edge-triggered epoll(7) by which the started port signals received frames,
   * after {@link #enableInterrupt}. The port owns it.
   *
   * @return -1 if the driver has none
   */
  public int interruptDescriptor(int queue) {
    return Math.max(-1, Dpdk.rddp_rx_interrupt_descriptor(port, (short) queue));
  }

  /** Whether the driver passes on interrupts of received frames, if it has any. */
  public boolean passesInterrupts() {
    return !SILENT_DRIVERS.contains(info.driver());
  }

  @Override
  public void enableInterrupt(int queue, boolean on) {
    // A driver that always signals reports that it does not support the call.
    int ignored = Dpdk.rddp_rx_interrupt(port, (short) queue, on ? 1 : 0);
  }

  @Override
  public int receive(int queue, long array, int count) {
    return mayBlock
        ? Native.rxBurstBlocking(port, (short) queue, array, (short) count)
        : Native.rxBurst(port, (short) queue, array, (short) count);
  }

  @Override
  public int transmit(int queue, long array, int count) {
    return mayBlock
        ? Native.txBurstBlocking(port, (short) queue, array, (short) count)
        : Native.txBurst(port, (short) queue, array, (short) count);
  }

  private PortInfo readInfo() {
    try (Arena arena = Arena.ofConfined()) {
      return PortInfo.of(capabilities(arena));
    }
  }

  private MemorySegment capabilities(Arena arena) {
    MemorySegment segment = rddp_port_info.allocate(arena);
    int result = Dpdk.rddp_port_get_info(port, segment);
    if (result < 0) {
      throw DpdkException.of("ask what port " + port + " is", result, "It may have been closed.");
    }
    return segment;
  }

  private int check(int result, String verb, String remedy) {
    if (result < 0) {
      throw DpdkException.of(verb + " the port " + info.name(), result, remedy);
    }
    return result;
  }

  @Override
  public String toString() {
    return info.name();
  }
}
