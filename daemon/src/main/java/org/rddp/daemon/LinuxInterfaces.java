package org.rddp.daemon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/** The kernel's network interfaces in the network namespace of the calling thread. */
final class LinuxInterfaces {
  /** The thread's own file: /sys/class/net may show another namespace. */
  private static final Path LIST = Path.of("/proc/thread-self/net/dev");

  private static final int HEADINGS = 2;
  private static final int AF_INET = 2;
  private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
  private static final int SIOCGIFMTU = 0x8921;
  private static final int IFREQ = 40;
  private static final int IFREQ_MTU = 16;
  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");

  private LinuxInterfaces() {}

  /** The names of all but the loopback interface. */
  static List<String> names() {
    try {
      return Files.readAllLines(LIST).stream()
          .skip(HEADINGS)
          .map(line -> line.substring(0, line.indexOf(':')).strip())
          .filter(name -> !name.equals("lo"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The MTU of an interface in octets; empty if there is no such interface. */
  static OptionalInt mtu(String name) {
    try (Arena arena = Arena.ofConfined();
        Descriptor socket = Descriptor.of(SOCKET.call(AF_INET, SOCK_DGRAM_CLOEXEC, 0))) {
      MemorySegment request = arena.allocate(IFREQ, Long.BYTES);
      request.setString(0, name);
      IOCTL.call(socket.number(), SIOCGIFMTU, request.address());
      return OptionalInt.of(request.get(ValueLayout.JAVA_INT, IFREQ_MTU));
    } catch (SystemCallException e) {
      return OptionalInt.empty();
    }
  }
}
