package org.rddp.fuzz;

import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Memory;
import org.rddp.wire.TcpOptions;

/**
 * Frames of any octets for a stack that listens and has opened a connection: ARP, IPv4, ICMP, TCP
 * and its options.
 *
 * <p>An input is a list of frames: an octet that says what to repair (1: the Ethernet header; 2:
 * lengths, addresses and checksums), two with the length, and the octets. Every input runs twice
 * with different octets behind the frames, on which the sent frames must not depend.
 */
public final class FrameFuzz {
  private static final int MTU = 1500;
  private static final int PACKETS = 64;
  private static final int ROOM = 2048;
  private static final long MILLISECOND = 1_000_000;
  private static final NativePacketPool POOL = new NativePacketPool(PACKETS, ROOM);
  private static final long SCRATCH = Memory.allocate(ROOM);

  private final CRC32 left = new CRC32();
  private final TcpOptions options = new TcpOptions();
  private final FuzzedDevice device = new FuzzedDevice(POOL, MTU, this::onFrame);
  private final TcpStack stack =
      new TcpStack(
          device,
          new InterfaceAddress(Frames.OURS, 24),
          TcpSettings.DEFAULTS.withBacklog(4).withConnections(8),
          new SplittableRandom(1),
          0);
  private Throwable failure;

  private FrameFuzz(int filler) {
    device.filler = filler;
    stack.reportFailuresTo(thrown -> failure = thrown);
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    long once = new FrameFuzz(0).run(new FuzzInput(octets));
    long again = new FrameFuzz(0xff).run(new FuzzInput(octets));
    Frames.require(once == again, "what leaves depends on octets behind the frames");
  }

  private long run(FuzzInput input) {
    stack.listen(7, (stream, address, port) -> new DiscardingHandler());
    stack.connect(Frames.THEIRS, 7, new DiscardingHandler());
    long now = MILLISECOND;
    while (!input.exhausted()) {
      device.put(frame(input));
      stack.receive(now);
      stack.advance(now);
      stack.transmit(now);
      now += MILLISECOND;
    }
    stack.close();
    device.close();
    Frames.require(failure == null, "a handler failed: " + failure);
    Frames.require(POOL.available() == PACKETS, "packets are missing");
    return left.getValue();
  }

  private static byte[] frame(FuzzInput input) {
    int repairs = input.octet();
    int length = input.unsignedShort() % (Ethernet.HEADER + MTU + 1);
    for (int i = 0; i < length; i++) {
      Memory.putByte(SCRATCH + i, input.octet());
    }
    if ((repairs & 1) != 0 && length >= Ethernet.HEADER) {
      int type = Ethernet.type(SCRATCH);
      Ethernet.write(SCRATCH, FuzzedDevice.OUR_MAC, Frames.THEIR_MAC, type);
    }
    if ((repairs & 2) != 0) {
      Frames.repair(SCRATCH + Ethernet.HEADER, length - Ethernet.HEADER);
    }
    return Memory.bytes(SCRATCH, length);
  }

  private void onFrame(boolean sent, long address, int length) {
    Frames.check(address, length, MTU, options);
    left.update(Memory.bytes(address, length));
  }
}
