package org.rddp.daemon.engine;

import java.util.function.LongPredicate;
import org.rddp.client.types.CompletionStatus;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.snapshot.Snapshot;

/**
 * The ULP of a session's connection, as the program has chosen it: RDMAP or the program itself. It
 * posts the connection's work requests, opens and closes the stream, and reports the stream's
 * events to its {@link SessionConnection}. Engine thread only.
 */
sealed interface SessionStream extends RequestTarget permits PlainDdpStream, RdmapSessionStream {
  /** Settings of MPA's startup. */
  MpaSettings mpa();

  /**
   * Touches the cache lines that a request needs; the result only keeps the JIT from removing the
   * loads.
   */
  int prefetch();

  /** The DDP Stream; an STag can be restricted to it. */
  DdpStream ddp();

  @Override
  default ProtectionDomain domain() {
    return ddp().protectionDomain();
  }

  /**
   * Revokes memory of posted requests: when this returns, nothing more is placed into it or read
   * from it. A request that needs the memory later completes with {@link
   * CompletionStatus#LOCAL_PROTECTION_ERROR} and ends the stream.
   *
   * @param requests which requests, by their slots in the session's table
   */
  void revoke(LongPredicate requests);

  /**
   * Responder: applies the program's settings for this connection, before it accepts the request.
   * Nothing may have been posted to it if the settings name a shared receive queue.
   *
   * @param startup waits for the answer
   * @throws RequestRefusedException if the connection cannot have the settings; nothing has changed
   */
  void choose(AcceptSettings settings, MpaStartup startup) throws RequestRefusedException;

  /** RDMAP: before the stream begins, says whether both ends want Sends with immediate data. */
  default void allowSendWithImmediate(boolean agreed) {}

  /** The connection's settings, with what is in use where the interface's configuration decided. */
  ConnectionSettings inUse(ConnectionSettings settings);

  /**
   * Transfers the state of its stream.
   *
   * @param connection of the stream, when read; null before Full Operation
   */
  void transfer(Snapshot snapshot, MpaConnection connection, DdpReferences references);

  /** Sends everything posted and closes our half; before the start, flushes everything. */
  void close();

  /** Flushes everything; after the start, resets the connection. */
  void abort();
}
