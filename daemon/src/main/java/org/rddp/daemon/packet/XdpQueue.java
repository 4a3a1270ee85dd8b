package org.rddp.daemon.packet;

import org.rddp.dpdk.device.MbufPool;
import org.rddp.ipc.linux.Errno;
import org.rddp.wire.Memory;

/** The bursts of an AF_XDP socket, for one thread. Frames are copied between packets and it. */
final class XdpQueue {
  private static final int PTR = Long.BYTES;

  /** Octets behind which an address is a frame's. */
  private static final long FRAME_MASK = -XdpSocket.FRAME;

  /** The most system calls for a burst; where frames are copied, each one sends 32. */
  private static final int CALLS = 8;

  private final XdpSocket socket;
  private final MbufPool pool;

  /** Offsets of frames to send from. */
  private final long[] free;

  private int freeCount;

  // Written by the thread, read by others.
  private long framesIn;
  private long octetsIn;
  private long framesOut;
  private long octetsOut;
  private long tooLong;
  private long refused;
  private long noPacket;

  /**
   * Creates a queue for a socket that nobody has used.
   *
   * @param entries of the socket's rings
   */
  XdpQueue(XdpSocket socket, MbufPool pool, int entries) {
    this.socket = socket;
    this.pool = pool;
    free = new long[entries];
    for (int i = 0; i < entries; i++) {
      free[freeCount++] = (long) (entries + i) * XdpSocket.FRAME;
    }
    // The JVM makes the code of a native call at the first one: not on the engine's thread.
    socket.send();
    socket.receive();
  }

  XdpSocket socket() {
    return socket;
  }

  /** Receives frames: {@link org.rddp.dpdk.BurstPort#receive}. */
  int receive(long array, int count) {
    int ready = socket.received.available(count);
    int kept = 0;
    int taken = 0;
    while (taken < ready) {
      long packet = pool.allocate();
      if (packet == 0) {
        noPacket++;
        break;
      }
      long description = socket.received.take();
      taken++;
      long address = Memory.getLongNative(description);
      int length = Memory.getIntNative(description + XdpSocket.LENGTH);
      if (length <= pool.room()) {
        Memory.copy(socket.memory() + address, pool.address(packet), length);
        pool.window(packet, pool.address(packet), length);
        Memory.putLongNative(array + (long) kept++ * PTR, packet);
        octetsIn += length;
      } else {
        pool.release(packet);
        tooLong++;
      }
      Memory.putLongNative(socket.fill.take(), address & FRAME_MASK);
    }
    if (taken > 0) {
      framesIn += kept;
      socket.received.taken();
      socket.fill.filled();
    }
    if (socket.fill.needsWakeUp()) {
      socket.receive();
    }
    if (freeCount < free.length) {
      send();
    }
    return kept;
  }

  /** Transmits frames: {@link org.rddp.dpdk.BurstPort#transmit}. */
  int transmit(long array, int count) {
    reclaim();
    int burst = socket.sent.free(Math.min(count, freeCount));
    for (int i = 0; i < burst; i++) {
      long packet = Memory.getLongNative(array + (long) i * PTR);
      int length = pool.length(packet);
      long frame = free[--freeCount];
      Memory.copy(pool.address(packet), socket.memory() + frame, length);
      long description = socket.sent.take();
      Memory.putLongNative(description, frame);
      // The options behind the length are 0.
      Memory.putLongNative(description + XdpSocket.LENGTH, 0);
      Memory.putIntNative(description + XdpSocket.LENGTH, length);
      pool.release(packet);
      octetsOut += length;
    }
    framesOut += burst;
    socket.sent.filled();
    send();
    return burst;
  }

  private void reclaim() {
    int done = socket.completed.available(free.length);
    for (int i = 0; i < done; i++) {
      free[freeCount++] = Memory.getLongNative(socket.completed.take()) & FRAME_MASK;
    }
    socket.completed.taken();
  }

  /** Lets the kernel send what waits in the ring. */
  private void send() {
    for (int i = 0; i < CALLS && !socket.sent.isEmpty() && socket.sent.needsWakeUp(); i++) {
      int result = socket.send();
      if (result == -Errno.EBUSY || result == -Errno.ENOBUFS) {
        break;
      } else if (result < 0 && result != -Errno.EAGAIN) {
        refused++;
        break;
      }
    }
    reclaim();
  }

  void close() {
    socket.close();
  }

  long framesIn() {
    return framesIn;
  }

  long octetsIn() {
    return octetsIn;
  }

  long framesOut() {
    return framesOut;
  }

  long octetsOut() {
    return octetsOut;
  }

  /** Received frames that were longer than a packet. */
  long tooLong() {
    return tooLong;
  }

  /** System calls that sent nothing, since the interface is down or gone. */
  long refused() {
    return refused;
  }

  /** Receptions without a packet to receive into. */
  long noPacket() {
    return noPacket;
  }
}
