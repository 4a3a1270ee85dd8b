package org.rddp.ddp.sending;

import java.util.function.LongPredicate;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.snapshot.Snapshot;

/**
 * The requests of a stream's send queue from post to completion. They complete in the order in
 * which they were posted (RFC 5040 section 5.5 rule 15), but may end in another: a read ends when
 * its response has come; messages posted after it may have been sent, or refused, long before.
 */
public final class WorkQueue {
  /** Refused requests need no room in the layers below, only the order. */
  private static final int MOST = 1 << 24;

  private final CompletionHandler handler;
  private final int depth;
  private final EntryRing<Entry> entries;
  private long firstSequence;

  /**
   * Creates an empty queue.
   *
   * @param depth the most requests that have not completed; only refused ones may exceed it
   * @param memory the bound that counts the entries; null for none
   */
  public WorkQueue(int depth, QueueMemory memory, CompletionHandler handler) {
    this.depth = depth;
    this.handler = handler;
    entries = new EntryRing<>(MOST, Entry::new, Entry.OCTETS, memory);
  }

  /**
   * Touches the cache lines that the next request needs; the result only keeps the JIT from
   * removing the loads.
   */
  public int prefetch() {
    return entries.prefetch() + (int) firstSequence;
  }

  /** Whether so many have not completed that only refused requests may be added. */
  public boolean isFull() {
    return entries.size() >= depth;
  }

  /**
   * Appends a request.
   *
   * @param kind for the handler
   * @param octets to report if it succeeds
   * @param fenced whether it must wait for the reads and atomics before it
   * @return its sequence number, by which the layers below know it; 0 or more
   */
  public long add(long token, int kind, long octets, boolean fenced) {
    entries.add().post(token, kind, octets, fenced);
    return firstSequence + entries.size() - 1;
  }

  /** Appends a request that ends at once; it completes after those posted before it. */
  public void refuse(long token, int kind, int status) {
    end(add(token, kind, 0, false), status);
  }

  /** Whether a request must wait for the reads and atomics before it. */
  public boolean isFenced(long sequence) {
    return entry(sequence).fenced;
  }

  /** Whether a sequence number belongs to a request whose token matches. */
  public boolean has(long sequence, LongPredicate tokens) {
    long index = sequence - firstSequence;
    return index >= 0 && index < entries.size() && tokens.test(entry(sequence).token);
  }

  /**
   * Ends a request; completes it, if it is the first, and those after it that have ended.
   *
   * @param status 0 if it succeeded
   */
  public void end(long sequence, int status) {
    entry(sequence).end(status);
    // RDMAP-5.5-02: "MUST be Completed at the Local Peer in the order that they were submitted by
    // the ULP"
    while (!entries.isEmpty() && entries.first().ended) {
      Entry entry = entries.removeFirst();
      firstSequence++;
      long octets = entry.status == 0 ? entry.octets : 0;
      handler.onCompletion(entry.token, entry.kind, entry.status, octets);
    }
  }

  private Entry entry(long sequence) {
    return entries.get((int) (sequence - firstSequence));
  }

  /** Reused. */
  private static final class Entry {
    /** Octets of an object on the heap. */
    private static final int OCTETS = 40;

    private long token;
    private int kind;
    private long octets;
    private int status;
    private boolean fenced;
    private boolean ended;

    private void post(long id, int requestKind, long length, boolean waits) {
      token = id;
      kind = requestKind;
      octets = length;
      fenced = waits;
      ended = false;
    }

    private void end(int endStatus) {
      status = endStatus;
      ended = true;
    }

    private void transfer(Snapshot snapshot) {
      snapshot.begin(Entry.class);
      token = snapshot.number("token", token);
      kind = snapshot.number("kind", kind);
      octets = snapshot.number("octets", octets);
      status = snapshot.number("status", status);
      fenced = snapshot.flag("fenced", fenced);
      ended = snapshot.flag("ended", ended);
      snapshot.end();
    }
  }

  /** Transfers the requests. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(WorkQueue.class);
    firstSequence = snapshot.number("firstSequence", firstSequence);
    entries.transfer(snapshot, "entries", entry -> entry.transfer(snapshot));
    snapshot.end();
  }
}
