package org.rddp.ddp;

import java.lang.foreign.Arena;
import java.util.List;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.EarlyRoom;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.ddp.sending.DdpSender;
import org.rddp.ddp.sending.RateLimit;
import org.rddp.ddp.sending.SendCounters;
import org.rddp.ddp.sending.SendScheduler;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.ddp.sending.TenantScheduler;
import org.rddp.snapshot.Snapshot;

/**
 * The state shared by the streams of one engine: STags, the memory for held segments, the send
 * scheduler and counters. Engine thread only.
 */
public final class DdpEngine {
  private static final long HELD_OCTETS = 1 << 18;

  private final TaggedBuffers taggedBuffers;
  private final HeldMemory heldMemory;
  private final EarlyRoom earlyRoom = new EarlyRoom();
  private final SendScheduler sendScheduler = new SendScheduler();

  /** Null where there are no tenants. */
  private TenantScheduler tenants;

  private final ReceiveCounters receiveCounters = new ReceiveCounters();

  /** Creates an engine whose streams together hold segments of up to 256 KiB. */
  public DdpEngine(TaggedBuffers taggedBuffers) {
    this(taggedBuffers, new HeldMemory(Arena.ofAuto().allocate(HELD_OCTETS, Long.BYTES)));
  }

  /** Creates an engine without streams. */
  public DdpEngine(TaggedBuffers taggedBuffers, HeldMemory heldMemory) {
    this.taggedBuffers = taggedBuffers;
    this.heldMemory = heldMemory;
  }

  /** The STags of this engine. */
  public TaggedBuffers taggedBuffers() {
    return taggedBuffers;
  }

  /** Counters of the segments sent. */
  public SendCounters sendCounters() {
    return sendScheduler.counters();
  }

  /** Counters of the segments received. */
  public ReceiveCounters receiveCounters() {
    return receiveCounters;
  }

  /**
   * Sends posted messages: each stream that has something to send, and whose connection takes it,
   * gets its share in turn. Nothing is sent otherwise: call this once in each turn of the duty
   * cycle, after taking work requests and before the TCP stack transmits.
   *
   * @param limit the most segments to hand to MPA in this call, greater than 0; if short messages
   *     use it up, those of one long message exceed it
   * @return segments handed to MPA; unless 0, there may be more to do
   */
  public int send(int limit) {
    return sendScheduler.run(limit);
  }

  /**
   * Sends like {@link #send(int)}, tenants by their shares.
   *
   * @param now the time in nanoseconds
   */
  public int send(int limit, long now) {
    if (tenants == null) {
      return sendScheduler.run(limit);
    }
    int sent = tenants.run(limit, now);
    return sendScheduler.isEmpty() ? sent : sent + sendScheduler.run(limit);
  }

  /**
   * Shares among tenants what is sent from now on.
   *
   * @param limit the interface's rate; null for none
   * @return takes the tenants
   */
  public TenantScheduler share(RateLimit limit) {
    tenants = new TenantScheduler(sendScheduler, limit);
    return tenants;
  }

  /** When {@link #send} may send what a rate holds back; {@link Long#MAX_VALUE} for nothing. */
  public long nextDeadline() {
    return tenants == null ? Long.MAX_VALUE : tenants.nextDeadline();
  }

  /** The sender of a stream; null if TCP has ended, and it only waits to receive. */
  private static DdpSender senderOf(DdpStream stream) {
    return stream.closeIsHeld() ? null : stream.sender();
  }

  HeldMemory heldMemory() {
    return heldMemory;
  }

  EarlyRoom earlyRoom() {
    return earlyRoom;
  }

  SendScheduler sendScheduler() {
    return sendScheduler;
  }

  /**
   * Transfers its counters, STags and windows, and the order in which streams wait to send. The
   * streams follow; when read, there are none in the engine before but theirs.
   *
   * @param streams all of them, in the order in which they follow
   * @param written the tenants that share what the engine sends that is written, in the same order
   *     at both ends; the reader may share among others
   */
  public void transfer(
      Snapshot snapshot,
      DdpReferences references,
      List<DdpStream> streams,
      List<SendTenant> written) {
    snapshot.begin(DdpEngine.class);
    taggedBuffers.transfer(snapshot, references);
    List<DdpSender> senders = streams.stream().map(DdpEngine::senderOf).toList();
    TenantScheduler shares = tenants == null ? new TenantScheduler(sendScheduler, null) : tenants;
    shares.transfer(snapshot, sendScheduler, written, senders);
    snapshot.counters(receiveCounters);
    snapshot.end();
  }
}
