package org.rddp.rdmap;

import java.util.Random;
import java.util.function.BooleanSupplier;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.ImpairedDevice;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/** Two hosts on a link that may be bad, in one thread, under a time of its own, from one seed. */
final class RdmapNetwork implements AutoCloseable {
  private static final long STEP = 10_000;
  private static final long LIFE = 3_600_000_000_000L;
  private static final int PACKETS = 4096;

  /** A host: a device, TCP, and the layers above. */
  static final class Host {
    final FrameDevice device;
    final NativePacketPool pool;
    final Ipv4Address address;
    final TcpStack stack;
    final DdpEngine engine;
    final ProtectionDomain domain;

    private Host(FrameDevice device, NativePacketPool pool, String address, Random random) {
      this.device = device;
      this.pool = pool;
      this.address = Ipv4Address.parse(address);
      stack =
          new TcpStack(
              device, new InterfaceAddress(this.address, 24), TcpSettings.DEFAULTS, random, 0);
      engine = new DdpEngine(new TaggedBuffers(256, random));
      domain = new ProtectionDomain(address);
      stack.reportFailuresTo(failure -> {
        throw new AssertionError(failure);
      });
    }

    /** Runs one turn of the duty cycle; returns the amount of work done. */
    private int turn(long now) {
      int done = stack.receive(now);
      done += engine.send(64);
      done += stack.advance(now);
      done += stack.transmit(now);
      return done;
    }
  }

  final Host left;
  final Host right;
  private long now;

  RdmapNetwork(long seed, int mtu, WireSettings wire) {
    Random random = new Random(seed);
    NativePacketPool one = new NativePacketPool(PACKETS, mtu + 64);
    NativePacketPool two = new NativePacketPool(PACKETS, mtu + 64);
    LoopedDevice[] link = LoopedDevice.pair(one, two, mtu, 1024);
    left = new Host(new ImpairedDevice(link[0], random.nextLong(), wire), one, "10.0.0.1", random);
    right = new Host(new ImpairedDevice(link[1], random.nextLong(), wire), two, "10.0.0.2", random);
  }

  /** Lets time pass until something is so. */
  void runUntil(BooleanSupplier reached) {
    while (!reached.getAsBoolean()) {
      step();
      if (now > LIFE) {
        throw new AssertionError("not within an hour");
      }
    }
  }

  private void step() {
    if (left.turn(now) + right.turn(now) > 0) {
      now += STEP;
      return;
    }
    long next = Math.min(left.stack.nextDeadline(), right.stack.nextDeadline());
    now = Math.max(now + STEP, Math.min(next, now + LIFE));
  }

  @Override
  public void close() {
    for (Host host : new Host[] {left, right}) {
      host.stack.close();
      host.device.close();
    }
  }
}
