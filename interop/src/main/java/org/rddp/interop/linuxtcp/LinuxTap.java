package org.rddp.interop.linuxtcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;

/**
 * A tap of Linux without DPDK, in the network namespace of the process: net_tap of DPDK 22.11
 * carries no more than 1522 octets, whatever its MTU. One system call for each frame.
 */
final class LinuxTap implements FrameDevice {
  private static final int O_RDWR = 2;
  private static final int O_NONBLOCK = 0x800;
  private static final int TUNSETIFF = 0x400454ca;
  private static final int IFF_TAP = 0x0002;
  private static final int IFF_NO_PI = 0x1000;
  private static final int NAME_LENGTH = 16;
  private static final int REQUEST_LENGTH = 40;

  private static final MethodHandle OPEN =
      call(
          "open",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle IOCTL =
      call(
          "ioctl",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle READ = call("read", transfer());
  private static final MethodHandle WRITE = call("write", transfer());
  private static final MethodHandle CLOSE =
      call("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private final PacketPool pool;
  private final long macAddress;
  private final int mtu;
  private final int descriptor;

  /**
   * Opens the interface, creating it where it does not exist.
   *
   * @param name at most 15 letters
   * @param macAddress of our end of the link; the kernel's end has its own
   * @param mtu largest IP packet in octets; the kernel's end must be configured separately
   * @throws IOException when there are no taps, or no right to create one
   */
  LinuxTap(String name, PacketPool pool, long macAddress, int mtu) throws IOException {
    this.pool = pool;
    this.macAddress = macAddress;
    this.mtu = mtu;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment path = arena.allocateFrom("/dev/net/tun");
      descriptor = (int) OPEN.invokeExact(path, O_RDWR | O_NONBLOCK);
      MemorySegment request = arena.allocate(REQUEST_LENGTH);
      request.setString(0, name);
      request.set(ValueLayout.JAVA_SHORT, NAME_LENGTH, (short) (IFF_TAP | IFF_NO_PI));
      if (descriptor < 0 || (int) IOCTL.invokeExact(descriptor, (long) TUNSETIFF, request) < 0) {
        throw new IOException("no tap " + name + ": is /dev/net/tun there, and are we root?");
      }
    } catch (IOException expected) {
      throw expected;
    } catch (Throwable unexpected) {
      throw new IllegalStateException(unexpected);
    }
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
  public boolean up() {
    return true;
  }

  @Override
  public int receive(long[] packets) {
    int count = 0;
    while (count < packets.length) {
      long packet = pool.allocate();
      if (packet == 0) {
        return count;
      }
      long address = pool.address(packet);
      long octets = transfer(READ, address, pool.room());
      if (octets <= 0) {
        pool.release(packet);
        return count;
      }
      pool.window(packet, address, (int) octets);
      packets[count++] = packet;
    }
    return count;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    for (int i = 0; i < count; i++) {
      long packet = packets[from + i];
      if (transfer(WRITE, pool.address(packet), pool.length(packet)) < 0) {
        return i;
      }
      pool.release(packet);
    }
    return count;
  }

  private long transfer(MethodHandle call, long address, int octets) {
    try {
      return (long) call.invokeExact(descriptor, MemorySegment.ofAddress(address), (long) octets);
    } catch (Throwable unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  @Override
  public void close() {
    try {
      int ignored = (int) CLOSE.invokeExact(descriptor);
    } catch (Throwable unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  private static FunctionDescriptor transfer() {
    return FunctionDescriptor.of(
        ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
  }

  private static MethodHandle call(String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type, options);
  }
}
