package org.rddp.client;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;

/**
 * Blocking requests of a connection that speaks RDMAP: each call posts a request, waits for its
 * completion and checks it. For programs that do one thing at a time; use {@link Connection}'s
 * posts to have many requests outstanding.
 *
 * <p>A send or write of at most {@link SessionLimits#inlineOctets()} octets is copied, and the call
 * returns at once: if it fails the connection ends, and the next call throws. Other calls return
 * when their request has succeeded, and throw otherwise: {@link RequestFailedException} if it
 * failed or the connection ended, {@link RequestTimeoutException} at the timeout, {@link
 * SessionLostException} if the daemon has ended, {@link RddpException} when the thread is
 * interrupted, which leaves the request outstanding as a timeout does. No handler gets the
 * request's completion; completions of other requests are kept for {@link Rddp#poll} and {@link
 * CompletionQueue#poll}. Like all posts and polls of a session, the calls are for one thread at a
 * time. They poll for some microseconds, then block. They ask the kernel to give the calling
 * thread, and threads that it starts later, shorter time slices (0.1 ms): its share of the
 * processor stays the same, but it runs sooner after a wake-up.
 */
public final class BlockingOperations {
  private final Connection connection;
  private final WorkQueues queues;
  private final Completions completions;

  BlockingOperations(Connection connection, WorkQueues queues) {
    this.connection = connection;
    this.queues = queues;
    completions = connection.session().completions();
  }

  /**
   * Writes into the peer's memory. On return the octets are on their way, and the local memory may
   * be used again. Only an answer of the peer or a later read shows that the peer has placed them;
   * if it refuses them, the connection ends with a Terminate.
   *
   * @param offset in the region
   * @param length in octets, 0 to 2^32 - 1
   * @param remoteStag the peer's region
   * @param remoteTo Tagged Offset there
   * @param timeout for room in the send queue and for the completion together
   */
  public void write(
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo,
      Duration timeout) {
    if (!queues.postUnawaitedWrite(region, offset, length, remoteStag, remoteTo)) {
      perform(
          Opcode.WRITE,
          () -> connection.postWrite(0, region, offset, length, remoteStag, remoteTo),
          timeout);
    }
  }

  /**
   * Sends a message to the peer's next receive. On return it is on its way, and the local memory
   * may be used again.
   *
   * @param offset in the region
   * @param length in octets, 0 to 2^32 - 1
   * @param timeout for room in the send queue and for the completion together
   */
  public void send(MemoryRegion region, long offset, long length, Duration timeout) {
    if (!queues.postUnawaitedSend(region, offset, length)) {
      perform(Opcode.SEND, () -> connection.postSend(0, region, offset, length), timeout);
    }
  }

  /**
   * Receives the peer's next message that no earlier receive has taken. If the peer may send before
   * this call, use {@link ConnectionOptions#withHeldOctets}; otherwise the connection ends.
   *
   * @param region with {@link Access#LOCAL_WRITE}
   * @param offset in the region
   * @param length octets of the longest message that fits
   * @param timeout for room in the receive queue and for the message together
   * @return octets of the message
   */
  public long receive(MemoryRegion region, long offset, long length, Duration timeout) {
    return perform(
        Opcode.RECEIVE, () -> connection.postReceive(0, region, offset, length), timeout);
  }

  /**
   * Reads the peer's memory. On return the octets are there.
   *
   * @param region with {@link Access#LOCAL_WRITE}
   * @param offset in the region
   * @param length in octets, 0 to 2^32 - 1
   * @param remoteStag the peer's region
   * @param remoteTo Tagged Offset there
   * @param timeout for room in the send queue and for the answer together
   */
  public void read(
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo,
      Duration timeout) {
    perform(
        Opcode.READ,
        () -> connection.postRead(0, region, offset, length, remoteStag, remoteTo),
        timeout);
  }

  /**
   * Adds to a number of eight octets in the peer's memory, in one step.
   *
   * @param region for the value before, with {@link Access#LOCAL_WRITE}
   * @param offset in the region, of eight octets
   * @param remoteTo Tagged Offset of the number, at an address that is a multiple of 8
   * @param timeout for room in the send queue and for the answer together
   * @return the value before
   */
  public long fetchAdd(
      MemoryRegion region, long offset, int remoteStag, long remoteTo, long add, Duration timeout) {
    perform(
        Opcode.FETCH_ADD,
        () ->
            connection
                .atomics()
                .postFetchAdd(0, region, offset, remoteStag, remoteTo, add, SendFlags.SIGNALLED),
        timeout);
    return region.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
  }

  /**
   * Replaces a number of eight octets in the peer's memory if it has the expected value.
   *
   * @param region for the value before, with {@link Access#LOCAL_WRITE}
   * @param offset in the region, of eight octets
   * @param remoteTo Tagged Offset of the number, at an address that is a multiple of 8
   * @param timeout for room in the send queue and for the answer together
   * @return the value before; the number was replaced if it equals {@code compare}
   */
  public long compareSwap(
      MemoryRegion region,
      long offset,
      int remoteStag,
      long remoteTo,
      long compare,
      long swap,
      Duration timeout) {
    perform(
        Opcode.COMPARE_SWAP,
        () ->
            connection
                .atomics()
                .postCompareSwap(
                    0, region, offset, remoteStag, remoteTo, compare, swap, SendFlags.SIGNALLED),
        timeout);
    return region.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
  }

  /** Posts a request, and waits until it has succeeded; returns the octets of its message. */
  private long perform(int opcode, BooleanSupplier post, Duration timeout) {
    long deadline = System.nanoTime() + TimedWait.bounded(timeout).toNanos();
    while (!post.getAsBoolean()) {
      if (!completions.keepNext(deadline)) {
        throw new RequestTimeoutException(
            "no room for a %s in the queue of %s within %s: %d sends and %d receives are outstanding"
                .formatted(
                    Opcode.name(opcode),
                    connection,
                    timeout,
                    connection.sendsOutstanding(),
                    connection.receivesOutstanding()));
      }
    }
    boolean receive = opcode == Opcode.RECEIVE;
    Awaited awaited = new Awaited(connection, receive, connection.lastPlace(receive));
    try {
      if (!completions.await(awaited, deadline)) {
        throw new RequestTimeoutException(
            "a %s on %s has not ended within %s"
                .formatted(Opcode.name(opcode), connection, timeout));
      }
    } finally {
      if (awaited.completion() == null) {
        connection.abandon(awaited);
      }
    }
    return octets(awaited.completion());
  }

  private long octets(Completion completion) {
    if (completion.isSuccess()) {
      return completion.octets();
    }
    String why = connection.closeReason() == null ? "" : ": " + connection.closeReason();
    throw new RequestFailedException(
        "a %s on %s ended as %s%s %s"
            .formatted(
                Opcode.name(completion.opcode()),
                connection,
                completion.status(),
                why,
                connection.closeText())
            .strip(),
        completion.status());
  }
}
