package org.rddp.ddp.sending;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * Shares what an engine sends among tenants: start-time fair queueing (Goyal, Vin and Cheng,
 * "Start-Time Fair Queueing", SIGCOMM 1996). The tenant whose next quantum has the earliest start
 * in virtual time sends it; the one behind it starts later by its octets divided by the tenant's
 * weight. A tenant that begins to send starts at the present virtual time, at once, so that neither
 * its silence is saved for later nor others' backlog delays it by more than their quantum. What
 * nobody uses, others send.
 *
 * <p>While several tenants have streams, a turn sends at most {@link #TURN} octets and the quantum
 * that reaches them, so that a message that comes waits for no more. A {@link RateLimit} holds a
 * tenant, or the whole interface, until a time that {@link #nextDeadline} tells.
 *
 * <p>Engine thread only.
 */
public final class TenantScheduler {
  /** Octets of payload after which a turn ends while several tenants have streams. */
  public static final int TURN = SendScheduler.JOINED_QUANTUM;

  private static final int FIRST_SIZE = 64;

  private final SendCounters counters;
  private final long header;

  /** Null if the interface has no rate. */
  private final RateLimit limit;

  private final PriorityQueue<SendTenant> ready =
      new PriorityQueue<>(FIRST_SIZE, Comparator.comparingDouble(tenant -> tenant.start));

  /** Tenants that their rate keeps from sending. */
  private final List<SendTenant> held = new ArrayList<>(FIRST_SIZE);

  /** The start of the last quantum that was sent. */
  private double virtualTime;

  /** Until when the interface's rate keeps what is ready; {@link Long#MAX_VALUE} if it does not. */
  private long limitedUntil = Long.MAX_VALUE;

  /** Tenants with streams, and the sum of their weights. */
  private int present;

  private long weights;
  private double lentPerWeight;

  /**
   * Creates a scheduler without tenants.
   *
   * @param scheduler whose counters and memory are used
   * @param limit the interface's rate; null for none
   */
  public TenantScheduler(SendScheduler scheduler, RateLimit limit) {
    this.counters = scheduler.counters();
    this.header = scheduler.header();
    this.limit = limit;
  }

  /**
   * Adds a tenant.
   *
   * @param weight its part of the sum of the weights of those that have something to send, at least
   *     1
   * @param rate its own limit; null for none
   */
  public SendTenant add(int weight, RateLimit rate) {
    return new SendTenant(this, counters, header, weight, rate);
  }

  void joined(SendTenant tenant) {
    present++;
    weights += tenant.weight;
    tenant.lend(lentPerWeight);
  }

  void left(SendTenant tenant) {
    present--;
    weights -= tenant.weight;
    tenant.lend(lentPerWeight);
  }

  /** What has been sent of idle tenants' shares, for a weight of 1. */
  double lentPerWeight() {
    return lentPerWeight;
  }

  /** A tenant that had nothing to send has something. */
  void wake(SendTenant tenant) {
    tenant.waits = true;
    tenant.lend(lentPerWeight);
    // What TCP has sent again meanwhile, it has sent when the last quantum ended.
    tenant.finish += (double) tenant.charge(0) / tenant.weight;
    makeReady(tenant);
  }

  private void makeReady(SendTenant tenant) {
    tenant.start = Math.max(virtualTime, tenant.finish);
    ready.add(tenant);
  }

  /**
   * Sends at most about so many segments; see {@link SendScheduler#run}.
   *
   * @param now the time in nanoseconds
   * @return segments sent; 0: nothing can be sent before {@link #nextDeadline}
   */
  public int run(int segments, long now) {
    release(now);
    int sent = isLimited(now) ? 0 : serve(segments, now);
    limitedUntil = isLimited(now) && !ready.isEmpty() ? limit.readyAt() : Long.MAX_VALUE;
    return sent;
  }

  private boolean isLimited(long now) {
    return limit != null && limit.readyAt() > now;
  }

  private int serve(int segments, long now) {
    long enough = present > 1 ? counters.octets + TURN : Long.MAX_VALUE;
    int sent = 0;
    while (sent < segments && counters.octets < enough && !ready.isEmpty()) {
      SendTenant tenant = ready.poll();
      if (tenant.isHeld(now)) {
        tenant.heldSince = now;
        held.add(tenant);
      } else {
        sent += serve(tenant, segments - sent, now);
        if (isLimited(now)) {
          break;
        }
      }
    }
    return sent;
  }

  private int serve(SendTenant tenant, int segments, long now) {
    virtualTime = tenant.start;
    boolean alone = present <= 1 && tenant.rate == null && limit == null;
    long before = counters.octets;
    try {
      SendScheduler scheduler = tenant.scheduler();
      return alone ? scheduler.run(segments) : scheduler.runQuantum(segments);
    } finally {
      charge(tenant, counters.octets - before, now);
      if (tenant.scheduler().isEmpty()) {
        tenant.waits = false;
        tenant.lend(lentPerWeight);
      } else {
        makeReady(tenant);
      }
    }
  }

  private void charge(SendTenant tenant, long passed, long now) {
    long octets = tenant.charge(passed);
    tenant.finish = tenant.start + (double) octets / tenant.weight;
    long due = tenant.pay(now);
    if (limit != null) {
      limit.take(due, now);
    }
    if (weights > 0) {
      lentPerWeight += (double) octets / weights;
    }
  }

  /** Makes those ready again whose rate allows it. */
  private void release(long now) {
    for (int i = held.size() - 1; i >= 0; i--) {
      SendTenant tenant = held.get(i);
      if (!tenant.isHeld(now)) {
        held.set(i, held.getLast());
        held.removeLast();
        tenant.heldNanos += now - tenant.heldSince;
        makeReady(tenant);
      }
    }
  }

  /** When something that waits may be sent; {@link Long#MAX_VALUE} if nothing waits for a rate. */
  public long nextDeadline() {
    long next = limitedUntil;
    for (int i = 0; i < held.size(); i++) {
      next = Math.min(next, held.get(i).rate.readyAt());
    }
    return next;
  }

  /**
   * Transfers which streams wait to send, what tenants have sent, and which of them wait. The
   * reader's may have other weights and limits, and streams may be other tenants' there.
   *
   * @param scheduler of the streams without tenants
   * @param tenants those that are written; when read, nothing has been sent for them
   * @param senders of all streams of the engine
   */
  public void transfer(
      Snapshot snapshot,
      SendScheduler scheduler,
      List<SendTenant> tenants,
      List<DdpSender> senders) {
    References<DdpSender> streams = new References<>(senders);
    scheduler.transfer(snapshot, streams);
    snapshot.begin(TenantScheduler.class);
    virtualTime = snapshot.real("virtualTime", virtualTime);
    lentPerWeight = snapshot.real("lentPerWeight", lentPerWeight);
    limitedUntil = snapshot.number("limitedUntil", limitedUntil);
    RateLimit.transfer(snapshot, limit);
    tenants.forEach(each -> each.transfer(snapshot, streams));
    References<SendTenant> references = new References<>(tenants);
    transfer(snapshot, "ready", references, ready);
    transfer(snapshot, "held", references, held);
    snapshot.end();
    for (DdpSender each : senders) {
      if (snapshot.reads() && each != null) {
        each.scheduler().wakeTenant();
      }
    }
  }

  /** Transfers tenants that wait, in the order in which the collection has them. */
  private static void transfer(
      Snapshot snapshot,
      String name,
      References<SendTenant> tenants,
      Collection<SendTenant> waiting) {
    Iterator<SendTenant> written = List.copyOf(waiting).iterator();
    while (snapshot.flag(name, written.hasNext())) {
      SendTenant each =
          tenants.require(snapshot, "tenant", snapshot.reads() ? null : written.next());
      if (snapshot.reads() && !each.scheduler().isEmpty()) {
        if (each.waits) {
          throw snapshot.wrong("a tenant waits to send twice");
        }
        each.waits = true;
        waiting.add(each);
      }
    }
  }
}
