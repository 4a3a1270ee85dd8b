package org.rddp.nio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCall;

/**
 * Lets the JDK's selectors watch a descriptor that the JDK does not know. A datagram channel is
 * opened, its descriptor is found by its port, and made a duplicate of the other one. Nothing but
 * registering and closing may be done with it.
 */
final class JdkDescriptor {
  private static final int AF_INET = 2;
  private static final int SOCK_DGRAM = 2;
  private static final int SOL_SOCKET = 1;
  private static final int SO_TYPE = 3;
  private static final int O_CLOEXEC = 0x80000;
  private static final int ADDRESS = 128;

  private static final SystemCall GETSOCKNAME = SystemCall.bind("getsockname", "i:ill");
  private static final SystemCall GETSOCKOPT = SystemCall.bind("getsockopt", "i:iiill");
  private static final SystemCall DUP3 = SystemCall.bind("dup3", "i:iii");

  private JdkDescriptor() {}

  /** A channel that is ready for reading when the descriptor is readable. It does not block. */
  static DatagramChannel over(Descriptor descriptor) throws IOException {
    DatagramChannel channel = Kernel.provider().openDatagramChannel(StandardProtocolFamily.INET);
    try {
      channel.configureBlocking(false);
      channel.bind(new InetSocketAddress("0.0.0.0", 0));
      int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
      DUP3.call(descriptor.number(), find(port), O_CLOEXEC);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static int find(int port) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"));
        Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(ADDRESS, 8);
      MemorySegment word = arena.allocate(ValueLayout.JAVA_INT);
      for (Path each : all) {
        int number = Integer.parseInt(each.getFileName().toString());
        word.set(ValueLayout.JAVA_INT, 0, ADDRESS);
        if (GETSOCKNAME.attempt(number, address.address(), word.address()) == 0
            && address.get(ValueLayout.JAVA_SHORT, 0) == AF_INET
            && port(address) == port
            && type(number, word) == SOCK_DGRAM) {
          return number;
        }
      }
    }
    throw new IOException("a datagram channel at port " + port + " is not in /proc/self/fd");
  }

  private static int port(MemorySegment address) {
    return (address.get(ValueLayout.JAVA_BYTE, 2) & 0xff) << 8
        | (address.get(ValueLayout.JAVA_BYTE, 3) & 0xff);
  }

  private static int type(int number, MemorySegment word) {
    MemorySegment length = word;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
      length.set(ValueLayout.JAVA_INT, 0, Integer.BYTES);
      GETSOCKOPT.attempt(number, SOL_SOCKET, SO_TYPE, value.address(), length.address());
      return value.get(ValueLayout.JAVA_INT, 0);
    }
  }
}
