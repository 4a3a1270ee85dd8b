package org.rddp.transfer;

import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.perf.LoadMessage;
import org.rddp.perf.PerfReply;
import org.rddp.perf.PerfRequest;
import org.rddp.rig.AdvertisedBuffer;

/**
 * A peer that measures throughput, or the latency of Reads and atomics. What it sends is received
 * and discarded. The server posts as many operations to this peer as the peer has granted.
 */
final class LoadPeer extends Peer {
  private static final long NONE = 0;

  private final PerfRequest request;
  private final int receiveOctets;
  private final int depth;
  private final MemoryRegion buffer;
  private final MemoryRegion receives;
  private final SlotQueue toPost;

  /** Operations that the peer has granted, and that have not been posted. */
  private long granted;

  private long posted;

  /** The flush to be answered once everything granted has been posted, or {@link #NONE}. */
  private long flush = NONE;

  /**
   * Allocates the memory of a peer, and posts its receives.
   *
   * @param slots number of receives
   * @throws org.rddp.client.RefusedException when a limit of the session is reached
   */
  LoadPeer(Rddp session, Connection connection, int slots, PerfRequest request) {
    super(connection);
    this.request = request;
    depth = Math.min(request.outstanding(), session.limits().sendQueue() - 1);
    receiveOctets = receiveOctets(request);
    toPost = new SlotQueue(slots);
    buffer =
        session.allocate(
            request.bufferOctets(),
            Access.LOCAL_WRITE,
            Access.REMOTE_WRITE,
            Access.REMOTE_READ,
            Access.REMOTE_ATOMIC);
    try {
      receives = session.allocate((long) slots * receiveOctets, Access.LOCAL_WRITE);
    } catch (RuntimeException e) {
      buffer.close();
      throw e;
    }
    for (int slot = 0; slot < slots; slot++) {
      toPost.add(slot);
    }
    post();
  }

  /** Octets that a peer needs. */
  static long octets(PerfRequest request, int slots) {
    return request.bufferOctets() + (long) slots * receiveOctets(request);
  }

  /** Immediate data needs a receive of eight octets. */
  private static int receiveOctets(PerfRequest request) {
    return switch (request.verb()) {
      case SEND -> Math.max(request.size(), Long.BYTES);
      default -> Long.BYTES;
    };
  }

  @Override
  PrivateData reply() {
    return new PerfReply(AdvertisedBuffer.of(buffer)).toPrivateData();
  }

  @Override
  void onCompletion(Completion completion) {
    if (!completion.isSuccess()) {
      return; // the connection ends
    }
    if (completion.opcode() == Opcode.RECEIVE) {
      toPost.add((int) completion.id());
      if (completion.hasImmediate()) {
        take(completion.immediate());
      }
    }
    post();
  }

  private void take(long message) {
    if (LoadMessage.isGrant(message)) {
      granted += LoadMessage.operations(message);
    } else if (LoadMessage.isFlush(message)) {
      flush = message;
    }
  }

  @Override
  boolean post() {
    while (!toPost.isEmpty() && receive(toPost.peek())) {
      toPost.remove();
    }
    while (granted > 0 && connection().sendsOutstanding() < depth && postOperation()) {
      granted--;
      posted++;
    }
    if (flush != NONE && granted == 0 && answerFlush()) {
      flush = NONE;
    }
    return !toPost.isEmpty() || granted > 0 || flush != NONE;
  }

  private boolean receive(int slot) {
    return connection().postReceive(slot, receives, (long) slot * receiveOctets, receiveOctets);
  }

  /** Sends the answer fenced: Reads and atomics have their answers before. */
  private boolean answerFlush() {
    return connection().postImmediate(0, flush, SendFlags.SIGNALLED | SendFlags.FENCED);
  }

  private boolean postOperation() {
    Connection to = connection();
    int size = request.size();
    int stag = request.buffer().stag();
    long at = request.buffer().to();
    int flags = posted % Math.max(1, depth / 2) == 0 ? SendFlags.SIGNALLED : 0;
    return switch (request.verb()) {
      case WRITE -> to.postWrite(0, buffer, 0, size, stag, at, flags);
      case READ -> to.postRead(0, buffer, 0, size, stag, at, flags);
      case SEND -> to.postSend(0, buffer, 0, size, flags);
      case ATOMIC -> to.atomics().postFetchAdd(0, buffer, 0, stag, at, 1, flags);
    };
  }

  @Override
  boolean isAnswered() {
    return flush == NONE;
  }

  @Override
  long measuringOctets() {
    return octets(request, toPost.capacity());
  }

  @Override
  boolean wantsPolling() {
    return !request.events();
  }

  @Override
  void free() {
    buffer.close();
    receives.close();
  }
}
