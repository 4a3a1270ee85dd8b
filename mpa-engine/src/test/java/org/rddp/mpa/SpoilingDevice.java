package org.rddp.mpa;

import java.util.function.ToIntFunction;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.device.WrappedDevice;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/**
 * A middlebox that turns bits of the payload in what a device receives and makes TCP's checksum
 * right again, so that nobody but MPA can notice.
 */
final class SpoilingDevice extends WrappedDevice {
  private static final int IP = Ethernet.HEADER;
  private static final int TCP = IP + Ipv4.HEADER;

  /** The bit of a segment's payload to flip, or -1. */
  private final ToIntFunction<byte[]> bit;

  /** Segments spoilt so far. */
  int spoilt;

  SpoilingDevice(FrameDevice device, ToIntFunction<byte[]> bit) {
    super(device);
    this.bit = bit;
  }

  /** None: the frame may have been changed. */
  @Override
  public int checksum(long packet) {
    return Offloads.UNKNOWN;
  }

  @Override
  public int receive(long[] packets) {
    int count = device().receive(packets);
    for (int i = 0; i < count; i++) {
      pass(packets[i]);
    }
    return count;
  }

  private void pass(long packet) {
    long frame = pool().address(packet);
    if (Ethernet.type(frame) != Ethernet.TYPE_IPV4) {
      return;
    }
    long tcp = frame + TCP;
    int header = Tcp.headerLength(tcp);
    int length = Ipv4.totalLength(frame + IP) - Ipv4.HEADER;
    if (length == header) {
      return;
    }
    int turned = bit.applyAsInt(Memory.bytes(tcp + header, length - header));
    if (turned >= 0) {
      turn(tcp, header + turned / 8, 1 << (turned % 8), length);
      spoilt++;
    }
  }

  /** Turns bits of an octet and mends the checksum (RFC 1624). */
  private static void turn(long tcp, int at, int bits, int length) {
    int before = word(tcp, at & ~1, length);
    Memory.putByte(tcp + at, Memory.getByte(tcp + at) ^ bits);
    int after = word(tcp, at & ~1, length);
    Tcp.putPartialChecksum(tcp, Checksum.replace(Tcp.checksum(tcp), before, after));
  }

  private static int word(long tcp, int at, int length) {
    int low = at + 1 < length ? Memory.getByte(tcp + at + 1) : 0;
    return Memory.getByte(tcp + at) << 8 | low;
  }
}
