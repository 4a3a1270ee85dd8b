package org.rddp.dpdk.device;

import org.rddp.device.CapturePoint;
import org.rddp.device.CaptureSink;
import org.rddp.device.FlowSteering;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.dpdk.BurstPort;
import org.rddp.dpdk.MbufFlags;
import org.rddp.dpdk.MbufLayout;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;

/**
 * One queue of a started port, in both directions, as a frame device, with one native call per
 * burst.
 *
 * <p>A frame received as a chain of buffers is copied into one buffer if it fits, and otherwise
 * dropped and counted. On ports that {@link PortOffloads} selects, the port computes or omits TCP
 * checksums, and cuts segments if it can; captured frames then lack their checksum.
 */
public final class DpdkDevice implements FrameDevice, CapturePoint {
  /** The most frames in a burst. */
  public static final int BURST = 64;

  private static final int PTR = Long.BYTES;

  private final BurstPort port;
  private final int queue;

  /** How the port chooses the queue of a received frame; null if unknown. */
  private final FlowSteering steering;

  private final MbufPool pool;
  private final RingOutput ring;
  private final long macAddress;
  private final int mtu;
  private final int longestFrame;
  private final int offloads;
  private int interrupt;
  private final Runnable closer;
  private final long received = Memory.allocate((long) BURST * PTR);
  private final long sent = Memory.allocate((long) BURST * PTR);
  private CaptureSink capture;
  private long captureEpoch;
  private long droppedChains;
  private volatile boolean up = true;
  private final boolean peerDecides;
  private volatile boolean sendsLong;

  /**
   * Creates a device for a started port with one queue.
   *
   * @param pool packets for this engine; the port receives into the same mempool
   * @param ring transmits the frames, for ports on rings; else null
   * @param macAddress in the low 48 bits
   * @param mtu largest IP packet in octets
   * @param longestFrame {@link FrameDevice#longestFrame()}; the MTU for none that are longer
   * @param offloads the port's offloads: bits of {@link Offloads}
   * @param interrupt how a thread that sleeps learns of frames: {@link FrameDevice#interrupt}
   * @param closer stops and closes the port, when the device is closed
   */
  public DpdkDevice(
      BurstPort port,
      MbufPool pool,
      RingOutput ring,
      long macAddress,
      int mtu,
      int longestFrame,
      int offloads,
      int interrupt,
      Runnable closer) {
    this(port, 0, null, pool, ring, macAddress, mtu, longestFrame, offloads, interrupt, closer);
  }

  /**
   * Creates a device for a queue of a started port.
   *
   * @param queue its number in both directions, from 0
   * @param steering how the port chooses the queue of a received frame; null if unknown
   * @param pool packets for this engine; the queue receives into the same mempool
   * @param ring transmits the frames, for ports on rings; else null
   * @param macAddress in the low 48 bits
   * @param mtu largest IP packet in octets
   * @param longestFrame {@link FrameDevice#longestFrame()}; the MTU for none that are longer
   * @param offloads the port's offloads: bits of {@link Offloads}
   * @param interrupt how a thread that sleeps learns of frames: {@link FrameDevice#interrupt}
   * @param closer called when the device is closed
   */
  public DpdkDevice(
      BurstPort port,
      int queue,
      FlowSteering steering,
      MbufPool pool,
      RingOutput ring,
      long macAddress,
      int mtu,
      int longestFrame,
      int offloads,
      int interrupt,
      Runnable closer) {
    this.port = port;
    this.queue = queue;
    this.steering = steering;
    this.pool = pool;
    this.ring = ring;
    this.macAddress = macAddress;
    this.mtu = mtu;
    this.longestFrame = longestFrame;
    this.offloads = offloads;
    peerDecides = (offloads & Offloads.TRAINS) != 0;
    sendsLong = longestFrame > mtu && !peerDecides;
    this.interrupt = interrupt;
    this.closer = closer;
  }

  @Override
  public PacketPool pool() {
    return pool;
  }

  @Override
  public long macAddress() {
    return macAddress;
  }

  @Override
  public int mtu() {
    return mtu;
  }

  @Override
  public int longestFrame() {
    return longestFrame;
  }

  /** Whether it was so at the last {@link #refreshLink()}, where the peer decides. */
  @Override
  public boolean sendsLong() {
    return sendsLong;
  }

  @Override
  public int offloads() {
    return offloads;
  }

  @Override
  public int interrupt() {
    return interrupt;
  }

  @Override
  public void enableInterrupt(boolean on) {
    if (interrupt >= 0) {
      port.enableInterrupt(queue, on);
    }
  }

  @Override
  public boolean receives(int remote, int remotePort, int local, int localPort) {
    return steering == null || steering.queue(remote, local, remotePort, localPort) == queue;
  }

  @Override
  public boolean receives(
      long remoteHigh,
      long remoteLow,
      int remotePort,
      long localHigh,
      long localLow,
      int localPort) {
    return steering == null
        || steering.queue(remoteHigh, remoteLow, localHigh, localLow, remotePort, localPort)
            == queue;
  }

  @Override
  public boolean foretells(boolean ipv6) {
    return steering != null && steering.foretells(ipv6);
  }

  @Override
  public void requestOffload(long packet, int link, int ip, int tcp, int segment) {
    boolean ipv6 = ip == Ipv6.HEADER;
    long flags = MbufFlags.TX_TCP_CHECKSUM | (ipv6 ? MbufFlags.TX_IPV6 : MbufFlags.TX_IPV4);
    if (segment > 0) {
      boolean sums = !ipv6 && (offloads & Offloads.IP_CHECKSUM) != 0;
      flags |= MbufFlags.TX_TCP_SEGMENT | (sums ? MbufFlags.TX_IP_CHECKSUM : 0);
    }
    Memory.putLongNative(packet + MbufLayout.OL_FLAGS, flags);
    Memory.putLongNative(
        packet + MbufLayout.TX_OFFLOAD, MbufFlags.txOffload(link, ip, tcp, segment));
  }

  @Override
  public int checksum(long packet) {
    if ((offloads & Offloads.VERDICT) == 0) {
      return Offloads.UNKNOWN;
    }
    long said = Memory.getLongNative(packet + MbufLayout.OL_FLAGS) & MbufFlags.RX_L4_MASK;
    boolean intact = said == MbufFlags.RX_L4_NONE && (offloads & Offloads.INTACT) != 0;
    if (said == MbufFlags.RX_L4_GOOD || intact) {
      return Offloads.GOOD;
    }
    return said == MbufFlags.RX_L4_BAD ? Offloads.BAD : Offloads.UNKNOWN;
  }

  /**
   * Whether the link was up at the last {@link #refreshLink()}; asking the driver is too slow for
   * every turn of the duty cycle.
   */
  @Override
  public boolean up() {
    return up;
  }

  /**
   * Asks the driver whether the link is up, and whether a net_vhost port's peer has agreed to take
   * long frames. Do not call this on the engine's thread.
   */
  public void refreshLink() {
    up = port.up();
    if (peerDecides) {
      sendsLong = port.peerTakesLong();
    }
  }

  /**
   * Takes note that its port has been opened again, with the same queues and offloads. Its engine
   * may not be running.
   *
   * @param interrupt {@link FrameDevice#interrupt} of the port from now on
   */
  public void reopened(int interrupt) {
    this.interrupt = interrupt;
  }

  /** The number of the device's queue. */
  public int queue() {
    return queue;
  }

  /** The port, for its counters. */
  public BurstPort port() {
    return port;
  }

  @Override
  public void capture(CaptureSink sink) {
    capture = sink;
    captureEpoch = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
  }

  /** Received frames dropped because their chain of buffers does not fit one packet. */
  public long droppedChains() {
    return droppedChains;
  }

  @Override
  public int receive(long[] packets) {
    int count = port.receive(queue, received, Math.min(packets.length, BURST));
    int kept = 0;
    for (int i = 0; i < count; i++) {
      long packet = Memory.getLongNative(received + (long) i * PTR);
      if (Memory.getShortNative(packet + MbufLayout.NB_SEGS) != 1) {
        packet = pool.linearise(packet);
        if (packet == 0) {
          droppedChains++;
          continue;
        }
      }
      packets[kept++] = packet;
    }
    if (capture != null) {
      record(packets, 0, kept);
    }
    return kept;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    int done = 0;
    while (done < count) {
      int burst = Math.min(count - done, BURST);
      int taken =
          capture == null
              ? burst(packets, from + done, burst)
              : recordedBurst(packets, from + done, burst);
      done += taken;
      if (taken < burst) {
        break;
      }
    }
    return done;
  }

  private int burst(long[] packets, int from, int count) {
    if (ring != null) {
      return ring.transmit(port, pool, packets, from, count);
    }
    for (int i = 0; i < count; i++) {
      Memory.putLongNative(sent + (long) i * PTR, packets[from + i]);
    }
    if ((offloads & Offloads.IP_CHECKSUM) != 0) {
      prepare(packets, from, count);
    }
    return port.transmit(queue, sent, count);
  }

  /** Clears the IP checksum of frames to be cut into segments, as DPDK requires; IPv6 has none. */
  private void prepare(long[] packets, int from, int count) {
    for (int i = from; i < from + count; i++) {
      long packet = packets[i];
      long flags = Memory.getLongNative(packet + MbufLayout.OL_FLAGS);
      if ((flags & MbufFlags.TX_IP_CHECKSUM) != 0) {
        int link = MbufFlags.linkHeader(Memory.getLongNative(packet + MbufLayout.TX_OFFLOAD));
        Ipv4.clearChecksum(pool.address(packet) + link);
      }
    }
  }

  /**
   * Transmits and records frames; retains the packets until they are recorded, since the port may
   * release them earlier.
   */
  private int recordedBurst(long[] packets, int from, int count) {
    for (int i = 0; i < count; i++) {
      pool.retain(packets[from + i]);
    }
    int taken = burst(packets, from, count);
    record(packets, from, taken);
    for (int i = 0; i < count; i++) {
      pool.release(packets[from + i]);
    }
    return taken;
  }

  private void record(long[] packets, int from, int count) {
    long time = System.nanoTime() + captureEpoch;
    for (int i = from; i < from + count; i++) {
      capture.offer(time, pool.address(packets[i]), pool.length(packets[i]));
    }
  }

  /** Stops the port and returns all cached packets to the mempool. */
  @Override
  public void close() {
    closer.run();
    pool.clear();
  }
}
