package org.rddp.bench.layers;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.Offloads;
import org.rddp.rig.ConfigurationText;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;

/**
 * CPU time of frames at the device: DPDK's net_ring, which copies short ones, and the link in Java
 * alone of {@link TurnBenchmark}.
 */
public class DeviceBenchmark extends LayerBenchmark {
  private static final int FRAMES = 64;
  private static final int MEBIBYTES = 128;

  /** Two ends of a link. */
  @State(Scope.Thread)
  public static class Link {
    /** The device that joins them. */
    @Param({"net_ring", "java"})
    public String device;

    /** Octets of a frame: of a write of 64 octets, and a full frame. */
    @Param({"150", "1514"})
    public int octets;

    private final long[] packets = new long[FRAMES];
    private DpdkPorts ports;
    private FrameDevice one;
    private FrameDevice two;

    /** Opens the link on the measuring thread. */
    @Setup(Level.Trial)
    public void open() throws ConfigurationException {
      if (device.equals("java")) {
        NativePacketPool pool = new NativePacketPool(1024, 2048);
        LoopedDevice[] link = LoopedDevice.pair(pool, pool, 1500, 512);
        one = link[0];
        two = link[1];
        return;
      }
      ConfigurationText text = new ConfigurationText().dpdk(MEBIBYTES);
      JoinedInterfaces.addRings(text, "packets", 4096, "descriptors", 512);
      ports = DpdkPorts.open(text.parse("bench"));
      ports.enter();
      one = ports.devices().get(0);
      two = ports.devices().get(1);
    }

    /** Closes the link. */
    @TearDown(Level.Trial)
    public void close() {
      if (ports != null) {
        ports.leave();
        ports.close();
      }
    }

    FrameDevice one() {
      return one;
    }

    FrameDevice two() {
      return two;
    }

    int carry(int burst) {
      int carried = 0;
      for (int done = 0; done < FRAMES; done += burst) {
        for (int i = 0; i < burst; i++) {
          long packet = one.pool().allocate();
          one.pool().window(packet, one.pool().address(packet), octets);
          if (one.offloads() != Offloads.NONE) {
            one.requestOffload(packet, Ethernet.HEADER, Ipv4.HEADER, Tcp.HEADER, 0);
          }
          packets[i] = packet;
        }
        one.transmit(packets, 0, burst);
        int count = two.receive(packets);
        for (int i = 0; i < count; i++) {
          two.pool().release(packets[i]);
        }
        carried += count;
      }
      return carried;
    }
  }

  /** Polls a device without frames. */
  @Benchmark
  @OperationsPerInvocation(FRAMES)
  public int receiveNothing(Link link) {
    int received = 0;
    for (int i = 0; i < FRAMES; i++) {
      received += link.two.receive(link.packets);
    }
    return received;
  }

  /** Allocates, sends, copies, receives and releases frames one by one. */
  @Benchmark
  @OperationsPerInvocation(FRAMES)
  public int carryOne(Link link) {
    return link.carry(1);
  }

  /** Carries frames in bursts of 32. */
  @Benchmark
  @OperationsPerInvocation(FRAMES)
  public int carry32(Link link) {
    return link.carry(32);
  }

  /** Allocates a packet, and releases it. */
  @Benchmark
  @OperationsPerInvocation(FRAMES)
  public long allocateAndRelease(Link link) {
    long packets = 0;
    for (int i = 0; i < FRAMES; i++) {
      long packet = link.one.pool().allocate();
      link.one.pool().release(packet);
      packets += packet;
    }
    return packets;
  }
}
