package org.rddp.daemon.packet;

import org.rddp.dpdk.MbufFlags;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.wire.Memory;

/**
 * The bursts of a packet socket, for one thread.
 *
 * <p>A received frame's length is not known before, so each message has an ordinary packet and,
 * behind it, a long one. A frame that is longer than the ordinary packet continues in the long one,
 * whose front is left free for what the ordinary one holds.
 */
final class PacketQueue {
  private static final int PTR = Long.BYTES;

  /** The most frames received at once. */
  private static final int RECEIVED = 32;

  private final Descriptor socket;
  private final MbufPool pool;
  private final PacketCalls calls = new PacketCalls();
  private final FrameMemory memory = new FrameMemory();
  private final MessageArray received = new MessageArray(RECEIVED, 2);
  private final MessageArray sent = new MessageArray(DpdkDevice.BURST, 1);
  private final long[] ordinary = new long[RECEIVED];
  private final long[] longOnes = new long[RECEIVED];

  // Written by the thread, read by others.
  private long framesIn;
  private long octetsIn;
  private long framesOut;
  private long octetsOut;
  private long truncated;
  private long refused;
  private long noPacket;

  /**
   * Creates the bursts of a socket, which it closes at its end.
   *
   * @param socket each of whose messages is a {@link VirtioHeader} and a frame
   */
  PacketQueue(Descriptor socket, MbufPool pool) {
    this.socket = socket;
    this.pool = pool;
    // The JVM makes the code of a native call at the first one, which takes the better part of a
    // second where cores are busy: not on the engine's thread.
    calls.send(socket.number(), sent.message(0), 0);
    PacketCalls.receive(socket.number(), received.message(0), 0);
    prepare(RECEIVED);
  }

  /** The number of the socket's descriptor. */
  int descriptor() {
    return socket.number();
  }

  /** Receives frames: {@link org.rddp.dpdk.BurstPort#receive}. */
  int receive(long array, int count) {
    int ready = prepare(Math.min(count, RECEIVED));
    int came = ready == 0 ? 0 : PacketCalls.receive(socket.number(), received.message(0), ready);
    int kept = 0;
    for (int i = 0; i < came; i++) {
      int length = received.received(i);
      if (length < 0) {
        truncated++;
        continue;
      }
      long packet = take(i, length);
      if (VirtioHeader.intact(received.header(i))) {
        Memory.putLongNative(packet + MbufLayout.OL_FLAGS, MbufFlags.RX_L4_GOOD);
      }
      Memory.putLongNative(array + (long) kept++ * PTR, packet);
      octetsIn += length;
    }
    framesIn += kept;
    return kept;
  }

  /** Gives messages the packets that they lack; returns how many, from the first, have one. */
  private int prepare(int count) {
    for (int i = 0; i < count; i++) {
      if (ordinary[i] == 0) {
        ordinary[i] = pool.allocate();
        if (ordinary[i] == 0) {
          noPacket++;
          return i;
        }
        received.piece(i, 0, pool.address(ordinary[i]), pool.room());
      }
      if (longOnes[i] == 0) {
        longOnes[i] = pool.allocateLong();
        if (longOnes[i] == 0) {
          received.pieces(i, 1);
        } else {
          long rest = pool.address(longOnes[i]) + pool.room();
          received.piece(i, 1, rest, (int) (pool.end(longOnes[i]) - rest));
          received.pieces(i, 2);
        }
      }
    }
    return count;
  }

  /** Takes the packet of a message of so many octets. */
  private long take(int message, int length) {
    long first = ordinary[message];
    if (length <= pool.room()) {
      ordinary[message] = 0;
      pool.window(first, pool.address(first), length);
      return first;
    }
    long whole = longOnes[message];
    longOnes[message] = 0;
    Memory.copy(pool.address(first), pool.address(whole), pool.room());
    pool.window(whole, pool.address(whole), length);
    return whole;
  }

  /** Transmits frames: {@link org.rddp.dpdk.BurstPort#transmit}. */
  int transmit(long array, int count) {
    int burst = Math.min(count, DpdkDevice.BURST);
    for (int i = 0; i < burst; i++) {
      long packet = packet(array, i);
      writeHeader(packet, sent.header(i), pool.length(packet));
      sent.piece(i, 0, pool.address(packet), pool.length(packet));
      sent.pieces(i, 1);
    }
    int done = 0;
    while (done < burst) {
      int taken = calls.send(socket.number(), sent.message(done), burst - done);
      if (taken == -Errno.ENOBUFS) {
        memory.lacking();
        break;
      } else if (taken == -Errno.EAGAIN) {
        break;
      } else if (taken < 0) {
        // The kernel refuses this frame, or the interface is down.
        refused++;
        pool.release(packet(array, done++));
      } else {
        for (int end = done + taken; done < end; done++) {
          octetsOut += pool.length(packet(array, done));
          framesOut++;
          pool.release(packet(array, done));
        }
      }
    }
    return done;
  }

  private void writeHeader(long packet, long header, int length) {
    long flags = Memory.getLongNative(packet + MbufLayout.OL_FLAGS);
    if ((flags & MbufFlags.TX_TCP_CHECKSUM) == 0) {
      VirtioHeader.clear(header);
      return;
    }
    long offload = Memory.getLongNative(packet + MbufLayout.TX_OFFLOAD);
    int beforeTcp = MbufFlags.linkHeader(offload) + MbufFlags.ipHeader(offload);
    VirtioHeader.requestChecksum(header, beforeTcp, MbufFlags.tcpHeader(offload));
    if ((flags & MbufFlags.TX_TCP_SEGMENT) != 0) {
      boolean ipv6 = (flags & MbufFlags.TX_IPV6) != 0;
      VirtioHeader.requestSegments(header, ipv6, MbufFlags.segment(offload));
      if (memory.isWhole(length)) {
        VirtioHeader.requestOnePiece(header, length);
      }
    }
  }

  private static long packet(long array, int index) {
    return Memory.getLongNative(array + (long) index * PTR);
  }

  /** Releases the packets that wait for frames. */
  void close() {
    socket.close();
    for (int i = 0; i < RECEIVED; i++) {
      release(ordinary, i);
      release(longOnes, i);
    }
  }

  private void release(long[] packets, int index) {
    if (packets[index] != 0) {
      pool.release(packets[index]);
      packets[index] = 0;
    }
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
  long truncated() {
    return truncated;
  }

  /** Frames that the kernel did not send. */
  long refused() {
    return refused;
  }

  /** Receptions without a packet to receive into. */
  long noPacket() {
    return noPacket;
  }
}
