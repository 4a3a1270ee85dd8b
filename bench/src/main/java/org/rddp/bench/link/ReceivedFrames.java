package org.rddp.bench.link;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;

/**
 * When frames come in at the interfaces of the network namespace of the thread that creates this,
 * by the kernel's clock: the longest time without one.
 */
public final class ReceivedFrames implements AutoCloseable {
  private static final int AF_PACKET = 17;
  private static final int SOCK_RAW_NONBLOCK = 3 | 0x800;
  private static final int ETH_P_ALL_BIG_ENDIAN = 0x0300;
  private static final int SIOCGSTAMPNS = 0x8907;

  /** Offset of the kind of packet in struct sockaddr_ll, and that of frames that are sent. */
  private static final int KIND = 10;

  private static final int PACKET_OUTGOING = 4;
  private static final int ADDRESS = 20;
  private static final long SECOND = 1_000_000_000;
  private static final long LONGEST_POLL = 50_000_000;
  private static final SystemCall SOCKET = SystemCall.bind("socket", "i:iii");
  private static final SystemCall RECVFROM = SystemCall.bind("recvfrom", "l:illill");
  private static final SystemCall IOCTL = SystemCall.bind("ioctl", "i:il.l");

  private final Descriptor socket;
  private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::run);
  private volatile boolean closed;
  private long last;
  private long longest;

  /** Begins to listen; needs CAP_NET_RAW. */
  public ReceivedFrames() throws SystemCallException {
    socket = Descriptor.of(SOCKET.call(AF_PACKET, SOCK_RAW_NONBLOCK, ETH_P_ALL_BIG_ENDIAN));
    thread.start();
  }

  private void run() {
    PollSet ready = new PollSet();
    ready.add(socket);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment room = arena.allocate(64, 8);
      long address = room.address();
      long length = address + 32;
      long time = address + 40;
      while (!closed) {
        room.set(ValueLayout.JAVA_INT, 32, ADDRESS);
        if (RECVFROM.attempt(socket.number(), address + 56, 1, 0, address, length) < 0) {
          ready.await(LONGEST_POLL);
        } else if (room.get(ValueLayout.JAVA_BYTE, KIND) != PACKET_OUTGOING) {
          IOCTL.call(socket.number(), SIOCGSTAMPNS, time);
          onFrame(
              SECOND * room.get(ValueLayout.JAVA_LONG, 40) + room.get(ValueLayout.JAVA_LONG, 48));
        }
      }
    } catch (SystemCallException e) {
      throw new IllegalStateException(e);
    }
  }

  private void onFrame(long time) {
    if (last != 0) {
      longest = Math.max(longest, time - last);
    }
    last = time;
  }

  /** Stops listening. Returns the longest time between two frames in ns; 0 without two. */
  public long longestSilence() throws InterruptedException {
    closed = true;
    thread.join();
    return longest;
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.close();
  }
}
