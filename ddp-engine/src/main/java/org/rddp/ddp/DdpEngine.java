package org.rddp.ddp;

import java.lang.foreign.Arena;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.EarlyRoom;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.ddp.sending.SendCounters;
import org.rddp.ddp.sending.SendScheduler;

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
  private final ReceiveCounters receiveCounters = new ReceiveCounters();

  /** Creates an engine whose streams hold segments of 256 KiB together. */
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
   * Sends what has been posted: every stream that has something to send, and whose connection takes
   * it, gets its share in turn. To be called once in each turn of the duty cycle, between taking
   * work requests and the transmission of the TCP stack; nothing is sent otherwise.
   *
   * @param limit the most segments to hand to MPA in this call, greater than 0; those of one long
   *     message go beyond it where short ones have used it up
   * @return how many were; there may be more to do unless it is 0
   */
  public int send(int limit) {
    return sendScheduler.run(limit);
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
}
