package org.rddp.transfer;

import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.perf.MarkedSlots;
import org.rddp.perf.PerfReply;
import org.rddp.perf.PerfRequest;
import org.rddp.rig.AdvertisedBuffer;

/**
 * A peer that measures RDMA Writes. They raise no completion: the server looks for each in the
 * buffer, and writes the same octets into the same slot of the peer's memory, one message for each
 * that has arrived.
 */
final class WriteBackPeer extends Peer {
  /** Interval at which writes are signalled. */
  private static final int SIGNAL_EVERY = 32;

  private final PerfRequest request;
  private final MarkedSlots slots;
  private final MemoryRegion buffer;
  private long answered;

  /**
   * Allocates the buffer of a peer.
   *
   * @throws org.rddp.client.RefusedException when a limit of the session is reached
   */
  WriteBackPeer(Rddp session, Connection connection, PerfRequest request) {
    super(connection);
    this.request = request;
    slots = new MarkedSlots(request.size(), request.outstanding());
    if (request.buffer().length() < slots.octets()) {
      throw new IllegalArgumentException(
          "a buffer of "
              + request.buffer().length()
              + " octets for answers of "
              + slots.octets()
              + " octets");
    }
    buffer = session.allocate(slots.octets(), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  }

  @Override
  PrivateData reply() {
    return new PerfReply(AdvertisedBuffer.of(buffer)).toPrivateData();
  }

  /** Answers the writes that have arrived; returns how many. */
  int answer() {
    int count = 0;
    while (slots.hasArrived(buffer.segment(), answered) && write()) {
      answered++;
      count++;
    }
    return count;
  }

  private boolean write() {
    long at = slots.at(answered);
    AdvertisedBuffer to = request.buffer();
    return connection().isOpen()
        && connection()
            .postWrite(
                0,
                buffer,
                at,
                request.size(),
                to.stag(),
                to.to() + at,
                answered % SIGNAL_EVERY == SIGNAL_EVERY - 1 ? SendFlags.SIGNALLED : 0);
  }

  /** A write that fails ends the connection. */
  @Override
  void onCompletion(Completion completion) {}

  @Override
  boolean post() {
    return true; // A write that arrives raises no event.
  }

  @Override
  boolean isAnswered() {
    return true;
  }

  @Override
  long measuringOctets() {
    return slots.octets();
  }

  @Override
  boolean wantsPolling() {
    return !request.events();
  }

  @Override
  void free() {
    buffer.close();
  }
}
