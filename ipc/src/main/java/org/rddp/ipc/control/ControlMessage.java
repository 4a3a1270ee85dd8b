package org.rddp.ipc.control;

/**
 * A message on the control socket, sent as one packet.
 *
 * <pre>
 *  0  length (4), of all of it      6  zero (2)
 *  4  type (2)                      8  request (4): number of the request, also in
 *                                      its reply; 0 in events
 * 12  fields: the components of the type's record
 * </pre>
 *
 * <p>The daemon answers each {@link ProgramMessage} with one reply, in any order, and also sends
 * events, see {@link DaemonMessage}.
 */
public sealed interface ControlMessage permits ProgramMessage, DaemonMessage {
  /** Version of the control protocol. */
  int VERSION = 12;

  /**
   * From this version on, a program takes the end of its control socket for the daemon's, and not
   * that of the process to which it has connected: another process may go on with its session.
   */
  int KNOWS_SUCCESSORS = 12;

  /** The oldest version in which a program may say Hello: later ones have only added messages. */
  int OLDEST_VERSION = 10;

  /** Whether a program may speak a version. */
  static boolean isSupported(int version) {
    return version >= OLDEST_VERSION && version <= VERSION;
  }

  /** Types from this number on are events, which belong to no request. */
  int FIRST_EVENT = 64;

  /** Number of the request, or of the request that a reply answers; 0 for an event. */
  default int request() {
    return 0;
  }

  /** Closes the descriptors of a received message that is not used. */
  default void closeDescriptors() {
    MessageBuffer buffer = MessageBuffer.forWriting();
    MessageCodec.of(this).write(this, buffer);
    buffer.closeDescriptors();
  }
}
