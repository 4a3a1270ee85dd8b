package org.rddp.daemon.engine;

import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;

/**
 * Does for octet streams what an engine must not: maps memory, checks seals, passes descriptors and
 * closes them. Engines call it; it answers on the engine's thread. Never waits.
 */
public interface StreamKeeper {
  /**
   * Makes the memory and the sockets of a peer's stream: {@link IncomingStream#prepared} or {@link
   * IncomingStream#refused} follows.
   */
  void prepare(IncomingStream incoming, StreamListener listener);

  /**
   * Checks whether a program has mapped the memory and nobody can punch holes into it, and
   * allocates the pages: {@link OctetStream#onChecked} follows.
   */
  void check(OctetStream stream);

  /**
   * Allocates the rest of a ring of the stream's memory, if its program may have so much: {@link
   * OctetStream#onAllocated} follows then.
   */
  void allocate(OctetStream stream, StreamRing ring);

  /** Offers an established stream to the programs of its listener. */
  void offer(OctetStream stream);

  /** A stream that was offered has been accepted, or has ended. */
  void onTaken(StreamListener listener);

  /**
   * All holders of a listener have ended before one accepted the stream: offers it to another of
   * the group, with new memory and sockets ({@link OctetStream#replace}), or {@link
   * OctetStream#dismiss}.
   */
  void offerAgain(OctetStream stream);

  /** Knows a stream by its parts, until they are released. */
  void begin(OctetStream stream);

  /** All who held a bridged stream's first socket have got the other one. */
  void onMoved(OctetStream stream);

  /** Calls {@link StreamSignals#drain} where descriptors may come with what is received. */
  void drain(PairedSocket socket);

  /** Closes a socket: what the program has sent with a message may make that wait. */
  void close(PairedSocket socket);

  /** Unmaps memory. */
  void close(StreamMemory memory);

  /** The engine uses nothing of the stream any more: unmaps and closes. */
  void release(OctetStream stream);
}
