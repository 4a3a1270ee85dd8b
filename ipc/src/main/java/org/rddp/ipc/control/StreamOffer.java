package org.rddp.ipc.control;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.ring.StreamEnds;

/**
 * An established octet stream that a listener's program may accept, a message of 64 octets.
 *
 * <pre>
 *  0  version (4): 1        16  octets of the receive ring (4)
 *  4  section (4)           20  addresses (40), see {@link StreamEnds}
 *  8  index (4)             60  zero (4)
 * 12  octets of the send ring (4)
 * </pre>
 *
 * <p>Numbers are in the machine's order.
 *
 * @param section of the doorbells
 * @param index of its bit in that section
 * @param sendOctets of the ring for octets to send
 * @param receiveOctets of the ring for received octets
 * @param ends addresses of both ends
 * @param stream the program's socket
 * @param memory the stream's memory
 */
public record StreamOffer(
    int section,
    int index,
    int sendOctets,
    int receiveOctets,
    StreamEnds ends,
    Descriptor stream,
    Descriptor memory) {
  /** Octets of the message. */
  static final int OCTETS = 64;

  private static final int VERSION = 1;
  private static final int ENDS = 20;

  MessageBuffer encode() {
    ByteBuffer octets = ByteBuffer.allocate(OCTETS).order(ByteOrder.nativeOrder());
    octets.putInt(VERSION).putInt(section).putInt(index).putInt(sendOctets).putInt(receiveOctets);
    ends.write(MemorySegment.ofArray(octets.array()).asSlice(ENDS, StreamEnds.OCTETS));
    MessageBuffer buffer = MessageBuffer.forWriting();
    buffer.putOctets(octets.array());
    buffer.putDescriptor(stream);
    buffer.putDescriptor(memory);
    return buffer;
  }

  static StreamOffer decode(MessageBuffer buffer) throws ControlProtocolException {
    ByteBuffer octets = ByteBuffer.wrap(buffer.getOctets(OCTETS)).order(ByteOrder.nativeOrder());
    if (octets.getInt() != VERSION) {
      throw new ControlProtocolException("a stream is offered in another version");
    }
    return new StreamOffer(
        octets.getInt(),
        octets.getInt(),
        octets.getInt(),
        octets.getInt(),
        StreamEnds.read(MemorySegment.ofArray(octets.array()).asSlice(ENDS, StreamEnds.OCTETS)),
        buffer.getDescriptor(),
        buffer.getDescriptor());
  }
}
