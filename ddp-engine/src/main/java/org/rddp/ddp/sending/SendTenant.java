package org.rddp.ddp.sending;

import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.SentOctets;

/**
 * The streams of one tenant on an engine, who share its part of what the engine sends. Engine
 * thread only, but for the counters, of which others may read old values.
 */
public final class SendTenant {
  final int weight;

  /** Null if it has none. */
  final RateLimit rate;

  private final TenantScheduler tenants;
  private final SendScheduler scheduler;
  private final SentOctets sent = new SentOctets();

  /** Octets that have been charged to its share: those passed on, or sent if these are more. */
  private long charged;

  /** Octets that have been paid for, by its rate and the interface's. */
  private long paid;

  /** Streams that have begun and not ended. */
  private int streams;

  /** Whether it is among those that are ready or held: it has streams that wait to send. */
  boolean waits;

  /** Virtual time of its next quantum, and of the end of its last one. */
  double start;

  double finish;

  /** Since when it has been held, and how long altogether, in nanoseconds. */
  long heldSince;

  long heldNanos;

  /** Whether others send in its place, since it has nothing to send. */
  boolean lends;

  /** What others had sent in the place of a weight of 1 when it began to lend. */
  double lendsFrom;

  private double lent;

  SendTenant(
      TenantScheduler tenants, SendCounters counters, long header, int weight, RateLimit rate) {
    this.tenants = tenants;
    this.weight = weight;
    this.rate = rate;
    scheduler = new SendScheduler(counters, header, this);
  }

  /** Serves its streams, one quantum at a time or as many as it likes. */
  SendScheduler scheduler() {
    return scheduler;
  }

  /** What its connections send. */
  SentOctets sent() {
    return sent;
  }

  void streamBegins() {
    if (streams++ == 0) {
      tenants.joined(this);
    }
  }

  void streamEnds() {
    if (--streams == 0) {
      tenants.left(this);
    }
  }

  /** A stream waits to send. */
  void wake() {
    if (!waits) {
      tenants.wake(this);
    }
  }

  /**
   * Octets to be charged to its share: those passed to MPA just now, and what TCP has sent beyond
   * all that was charged, which are headers and segments sent again.
   */
  long charge(long passed) {
    long before = charged;
    charged = Math.max(before + passed, sent.octets());
    return charged - before;
  }

  /** Pays for what was charged since the last time; returns how many octets. */
  long pay(long now) {
    long due = charged - paid;
    paid = charged;
    if (rate != null) {
      rate.take(due, now);
    }
    return due;
  }

  /** Whether its rate keeps it from sending now. */
  boolean isHeld(long now) {
    return rate != null && rate.readyAt() > now;
  }

  /** Begins or ends to lend, as it waits to send or not. */
  void lend(double lentPerWeight) {
    boolean next = !waits && streams > 0;
    if (lends && !next) {
      lent = lent(lentPerWeight);
    } else if (next && !lends) {
      lendsFrom = lentPerWeight;
    }
    lends = next;
  }

  private double lent(double lentPerWeight) {
    return lends ? lent + weight * (lentPerWeight - lendsFrom) : lent;
  }

  /** Transfers what it has sent, lent and paid, and which of its streams wait. */
  void transfer(Snapshot snapshot, References<DdpSender> senders) {
    snapshot.begin(SendTenant.class);
    scheduler.transfer(snapshot, senders);
    sent.transfer(snapshot);
    RateLimit.transfer(snapshot, rate);
    charged = snapshot.number("charged", charged);
    paid = snapshot.number("paid", paid);
    start = snapshot.real("start", start);
    finish = snapshot.real("finish", finish);
    heldSince = snapshot.number("heldSince", heldSince);
    heldNanos = snapshot.number("heldNanos", heldNanos);
    lends = snapshot.flag("lends", lends);
    lendsFrom = snapshot.real("lendsFrom", lendsFrom);
    lent = snapshot.real("lent", lent);
    snapshot.end();
  }

  /** Its weight. */
  public int weight() {
    return weight;
  }

  /** Streams that have begun and not ended. */
  public int streams() {
    return streams;
  }

  /** Octets sent: see {@link SentOctets}. */
  public long sentOctets() {
    return sent.octets();
  }

  /** Time in nanoseconds for which its rate kept it from sending what waited. */
  public long heldNanos() {
    return heldNanos;
  }

  /** Octets of its share that others have sent while it had nothing to send. */
  public long lentOctets() {
    return (long) lent(tenants.lentPerWeight());
  }
}
