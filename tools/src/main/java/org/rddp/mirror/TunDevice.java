package org.rddp.mirror;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A TUN of Linux, which carries IP packets, in the network namespace of the thread that makes it.
 * Needs CAP_NET_ADMIN, and the command {@code ip}. The kernel removes it with the process. Any
 * thread may write; one may read.
 */
final class TunDevice implements AutoCloseable {
  private static final Path CLONE = Path.of("/dev/net/tun");
  private static final long TUNSETIFF = 0x400454caL;
  private static final int REQUEST = 40;
  private static final int NAME = 16;

  /** IFF_TUN and IFF_NO_PI. */
  private static final int TUN_WITHOUT_HEADER = 0x1001;

  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");
  private static final SystemCall READ = SystemCall.bind("read", "l:ill");
  private static final SystemCall WRITE = SystemCall.bind("write", "l:ill");

  private final Descriptor descriptor;
  private final String name;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment room;

  /**
   * Makes the device, without addresses, and down.
   *
   * @param name 1 to 15 octets
   * @param mtu octets of the largest packet
   */
  TunDevice(String name, int mtu) throws IOException {
    this.name = name;
    room = arena.allocate(mtu, Long.BYTES);
    descriptor = Descriptor.open(CLONE);
    MemorySegment request = arena.allocate(REQUEST, Long.BYTES);
    byte[] octets = name.getBytes(StandardCharsets.US_ASCII);
    if (octets.length == 0 || octets.length >= NAME) {
      throw new IllegalArgumentException("a network interface has a name of 1 to 15 characters");
    }
    MemorySegment.copy(octets, 0, request, ValueLayout.JAVA_BYTE, 0, octets.length);
    request.set(ValueLayout.JAVA_SHORT, NAME, (short) TUN_WITHOUT_HEADER);
    try {
      IOCTL.call(descriptor.number(), TUNSETIFF, request.address());
    } catch (SystemCallException e) {
      descriptor.close();
      throw new IOException("the TUN " + name + " cannot be made: " + e.getMessage(), e);
    }
    ip("link", "set", name, "mtu", Integer.toString(mtu));
  }

  /** Gives it addresses, and routes through it to all hosts, behind other routes. */
  void configure(List<InetAddress> addresses) throws IOException {
    for (InetAddress each : addresses) {
      String text = each.getHostAddress();
      if (each instanceof Inet4Address) {
        ip("addr", "add", text + "/32", "dev", name);
      } else {
        ip("addr", "add", text + "/128", "dev", name, "nodad");
      }
    }
    ip("link", "set", name, "up");
    for (InetAddress each : addresses) {
      String family = each instanceof Inet4Address ? "-4" : "-6";
      if (!each.isLinkLocalAddress()) {
        ip(family, "route", "append", "default", "dev", name, "metric", "4294967000");
      }
    }
  }

  /**
   * Checks that the kernel can send packets by a TUN only, which may not be there yet: it has the
   * keys, too, and would use their numbers a second time.
   *
   * @throws IOException if another interface of the network namespace is up
   */
  static void requireOnlyWayOut(String name) throws IOException {
    // Also an interface without addresses, which Java does not tell of.
    List<String> others =
        ip("-brief", "link", "show", "up")
            .lines()
            .map(line -> line.split("[ @]", 2)[0])
            .filter(each -> !each.equals(name) && !each.equals("lo"))
            .toList();
    if (!others.isEmpty()) {
      throw new IOException(
          "%s is up in this network namespace, whose kernel has the daemon's keys and must have no way out but %s: run charon and the mirror in a namespace of their own, as the service rddp-mirror is by PrivateNetwork=yes"
              .formatted(String.join(", ", others), name));
    }
  }

  /** Runs the command; returns what it prints. */
  private static String ip(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + ": " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return said;
  }

  /** Waits for a packet that the kernel sends. */
  byte[] read() throws SystemCallException {
    long octets = READ.call(descriptor.number(), room.address(), room.byteSize());
    return room.asSlice(0, octets).toArray(ValueLayout.JAVA_BYTE);
  }

  /**
   * Makes the kernel receive a packet.
   *
   * @throws SystemCallException if it does not take it, as while the device is down
   */
  void write(byte[] packet) throws SystemCallException {
    try (Arena copy = Arena.ofConfined()) {
      MemorySegment octets = copy.allocateFrom(ValueLayout.JAVA_BYTE, packet);
      WRITE.call(descriptor.number(), octets.address(), packet.length);
    }
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
