package org.rddp.daemon.packet;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * The queues of a TAP interface that this process has open. While they are detached, the kernel
 * gives them no frame, and the interface stays as it is, with its addresses and routes: another
 * process may attach queues of its own. What a queue has received and nobody has read is lost when
 * it is detached.
 */
public final class TapQueues {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Path DEVICE = Path.of("/dev/net/tun");
  private static final long TUNGETIFF = 0x800454d2L;
  private static final long TUNSETQUEUE = 0x400454d9L;
  private static final short IFF_ATTACH_QUEUE = 0x0200;
  private static final short IFF_DETACH_QUEUE = 0x0400;
  private static final int IFREQ = 40;
  private static final int IFREQ_FLAGS = 16;
  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");

  private final List<Integer> descriptors;

  private TapQueues(List<Integer> descriptors) {
    this.descriptors = descriptors;
  }

  /**
   * The queues of an interface that are attached, in the order of their descriptors: the driver has
   * no call for them. Its own detached one, which keeps the interface, is not among them.
   *
   * @throws IOException if /proc cannot be read
   */
  public static TapQueues of(String name) throws IOException {
    List<Integer> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path each : all) {
        int number = Integer.parseInt(each.getFileName().toString());
        if (isTun(each) && isAttached(number, name)) {
          found.add(number);
        }
      }
    }
    Collections.sort(found);
    return new TapQueues(found);
  }

  private static boolean isTun(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).equals(DEVICE);
    } catch (IOException closed) {
      return false;
    }
  }

  private static boolean isAttached(int number, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(IFREQ, Long.BYTES);
      return IOCTL.attempt(number, TUNGETIFF, request.address()) == 0
          && request.getString(0).equals(name)
          && (flags(request) & IFF_DETACH_QUEUE) == 0;
    }
  }

  private static short flags(MemorySegment request) {
    return request.get(ValueLayout.JAVA_SHORT, IFREQ_FLAGS);
  }

  /** Lets the kernel give them no more frames. */
  public void detach() throws SystemCallException {
    set(IFF_DETACH_QUEUE, 0);
  }

  /** Lets the kernel give them frames again. */
  public void attach() throws SystemCallException {
    set(IFF_ATTACH_QUEUE, IFF_DETACH_QUEUE);
  }

  /** A queue may have several descriptors: the first one changes it. */
  private void set(short change, int before) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(IFREQ, Long.BYTES);
      for (int number : descriptors) {
        IOCTL.call(number, TUNGETIFF, request.address());
        if ((flags(request) & IFF_DETACH_QUEUE) == before) {
          request.set(ValueLayout.JAVA_SHORT, IFREQ_FLAGS, change);
          IOCTL.call(number, TUNSETQUEUE, request.address());
        }
      }
    }
  }
}
