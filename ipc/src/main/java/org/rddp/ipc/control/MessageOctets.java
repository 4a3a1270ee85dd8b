package org.rddp.ipc.control;

import java.util.List;
import java.util.Map;

/** The octets of the daemon's messages, for another process that sends what waits. */
public final class MessageOctets {
  private static final Map<Integer, MessageCodec> KINDS = MessageCodec.byType(DaemonMessage.class);

  private MessageOctets() {}

  /** Whether a message hands over descriptors, which are not among its octets. */
  public static boolean lacksDescriptors(DaemonMessage message) {
    return MessageCodec.of(message).hasDescriptors(message);
  }

  /** The octets of a message, as they are sent. */
  public static byte[] of(DaemonMessage message) {
    return MessageCodec.of(message).encode(message).toByteArray();
  }

  /**
   * Reads the octets of a message.
   *
   * @throws ControlProtocolException if they are malformed, or a descriptor is missing
   */
  public static DaemonMessage read(byte[] octets) throws ControlProtocolException {
    MessageBuffer buffer = MessageBuffer.forReading(octets, octets.length, List.of());
    return (DaemonMessage) MessageCodec.decode(buffer, KINDS);
  }
}
