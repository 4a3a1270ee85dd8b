package org.rddp.ipc.control;

/**
 * A message on the control socket, one packet each.
 *
 * <pre>
 *  0  length (4), of all of it      6  zero (2)
 *  4  type (2)                      8  request (4): names the request that a reply
 *                                      answers; 0 in events
 * 12  fields, by type: the components of its record
 * </pre>
 *
 * <p>Programs send {@link ProgramMessage}s, each of which the daemon answers with one reply, in any
 * order; the daemon also sends events of its own accord, see {@link DaemonMessage}.
 */
public sealed interface ControlMessage permits ProgramMessage, DaemonMessage {
  /** The version of the protocol that this code speaks. */
  int VERSION = 4;

  /** Types from here on are events: they belong to no request. */
  int FIRST_EVENT = 64;

  /** The request that it is or answers, not 0; 0 for an event. */
  default int request() {
    return 0;
  }

  /** Closes the descriptors that it carries: for a message that came and is of no use. */
  default void closeDescriptors() {
    MessageBuffer buffer = MessageBuffer.forWriting();
    MessageCodec.of(this).write(this, buffer);
    buffer.closeDescriptors();
  }
}
