package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.tcp.loss.SegmentQueue;
import org.rddp.wire.Tcp;

/**
 * Sends one segment of a segment queue: in the packet that the user built, or in a copy if that
 * packet has other holders. All connections of a stack share one instance, which has no state of
 * theirs.
 */
final class SegmentTransmitter {
  private final SegmentOutput output;
  private final PacketPool pool;
  private final TcpCounters counters;

  SegmentTransmitter(SegmentOutput output, PacketPool pool, TcpCounters counters) {
    this.output = output;
    this.pool = pool;
    this.counters = counters;
  }

  /**
   * Sends a segment, while the IP layer has room.
   *
   * @param flags of a segment with data; a FIN has its own
   * @param ecn ECN codepoint of a segment with data
   * @return false if there is no packet where one is needed
   */
  boolean transmit(TcpConnection connection, SegmentQueue queue, int slot, int flags, int ecn) {
    long position = queue.position(slot);
    if (queue.packet(slot) == 0) {
      return output.control(connection, connection.sender.sequence(position), Tcp.FIN | Tcp.ACK);
    }
    long packet = packet(queue, slot);
    if (packet == 0) {
      return false;
    }
    int length = queue.length(slot);
    boolean own = packet == queue.packet(slot);
    long payload = own ? queue.payload(slot) : pool.address(packet);
    int sum = output.offloadsChecksum() ? 0 : queue.sum(slot);
    output.data(connection, packet, payload, length, sum, position, flags, ecn);
    return true;
  }

  /**
   * Sends segments that lie one behind the other in one packet as one frame. The IP layer must have
   * room, no segment may lie in front of the first one, and the packet must have no other holder.
   *
   * @param flags of the frame
   * @param ecn ECN codepoint of the frame
   */
  void transmitTrain(
      TcpConnection connection, SegmentQueue queue, int first, int last, int flags, int ecn) {
    long packet = queue.packet(first);
    pool.retain(packet);
    output.train(
        connection,
        packet,
        queue.payload(first),
        (int) (queue.end(last) - queue.position(first)),
        queue.length(first),
        queue.position(first),
        flags,
        ecn);
  }

  /**
   * Acquires a reference to the packet in which a segment is sent: its own, or a copy if that has
   * another holder, or another segment lies in front of it. Returns 0 if there is no packet for a
   * copy.
   */
  private long packet(SegmentQueue queue, int slot) {
    long packet = queue.packet(slot);
    if (!pool.shared(packet) && !queue.follows(slot)) {
      pool.retain(packet);
      return packet;
    }
    long copy = queue.copy(slot);
    if (copy == 0) {
      counters.packetsExhausted++;
    } else {
      counters.copied++;
    }
    return copy;
  }
}
