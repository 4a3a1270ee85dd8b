package org.rddp.daemon.engine;

import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.ring.StreamMemory;

/**
 * What an octet stream shares with its program, made before an engine gets it.
 *
 * @param section the streams of the program on the stream's engine
 * @param index of its doorbell in the section
 * @param number of the stream in the daemon
 * @param memory its memory
 * @param socket the daemon's end of its socket
 * @param programSocket the program's end, until it has been sent
 * @param cookie by which the kernel knows the program's end
 * @param bridge the daemon's end of its bridge's socket; null if it has none
 * @param refusesDescriptors whether the program cannot send descriptors, which an engine must not
 *     close
 */
public record StreamParts(
    StreamSection section,
    int index,
    long number,
    StreamMemory memory,
    PairedSocket socket,
    PairedSocket programSocket,
    long cookie,
    PairedSocket bridge,
    boolean refusesDescriptors) {
  /** Parts without a bridge. */
  public StreamParts(
      StreamSection section,
      int index,
      long number,
      StreamMemory memory,
      PairedSocket socket,
      PairedSocket programSocket,
      long cookie,
      boolean refusesDescriptors) {
    this(section, index, number, memory, socket, programSocket, cookie, null, refusesDescriptors);
  }

  /**
   * A copy for a daemon that goes on.
   *
   * @param with its section
   * @param other its mapping of the memory
   */
  public StreamParts with(StreamSection with, StreamMemory other) {
    return new StreamParts(
        with, index, number, other, socket, programSocket, cookie, bridge, refusesDescriptors);
  }

  /** A copy with a bridge. */
  StreamParts with(StreamMemory other, PairedSocket bridged) {
    return new StreamParts(
        section, index, number, other, socket, programSocket, cookie, bridged, refusesDescriptors);
  }
}
