package org.rddp.client.types;

import org.rddp.ipc.control.ControlProtocolException;
import org.rddp.ipc.control.MessageBuffer;

/**
 * What a session may use. The daemon says it in its welcome and enforces it.
 *
 * @param outstanding work requests that may be outstanding in the session: the slots of its
 *     completion ring
 * @param sendQueue sends and writes that may be outstanding on a connection
 * @param receiveQueue receives that may be outstanding on a connection
 * @param inlineOctets the longest inline message, 0 to {@link
 *     org.rddp.ipc.ring.WorkRequest#MAX_INLINE}
 * @param connections connections at a time
 * @param regions memory regions at a time
 * @param memoryOctets memory, allocated and adopted
 */
public record SessionLimits(
    int outstanding,
    int sendQueue,
    int receiveQueue,
    int inlineOctets,
    int connections,
    int regions,
    long memoryOctets) {

  public void write(MessageBuffer buffer) {
    buffer.putInt(outstanding);
    buffer.putInt(sendQueue);
    buffer.putInt(receiveQueue);
    buffer.putInt(inlineOctets);
    buffer.putInt(connections);
    buffer.putInt(regions);
    buffer.putLong(memoryOctets);
  }

  public static SessionLimits read(MessageBuffer buffer) throws ControlProtocolException {
    return new SessionLimits(
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getInt(),
        buffer.getLong());
  }
}
