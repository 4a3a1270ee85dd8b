package org.rddp.group;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.rddp.group.HandOverEntry.Kind;

/**
 * One stack hands over three entries through a queue of two while another takes: what was offered
 * with success is taken once, whole and in order; a full queue refuses.
 */
@JCStressTest
@Outcome(id = "7, [012], .*, 123", expect = Expect.ACCEPTABLE, desc = "All three were handed over.")
@Outcome(id = "3, [012], .*, 12", expect = Expect.ACCEPTABLE, desc = "The third found it full.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Torn, lost, duplicated or out of order.")
@State
public class HandOverStress {
  private static final int BROKEN = -1_000_000;

  private final HandOverQueue queue = new HandOverQueue(2);
  private final HandOverEntry entry = new HandOverEntry();
  private int taken;

  /** A round. */
  public HandOverStress() {}

  /** The stack that hands over: a bit for each entry that the queue took. */
  @Actor
  public void offer(IIII_Result result) {
    HandOverEntry given = new HandOverEntry();
    for (int i = 1; i <= 3; i++) {
      if (queue.offer(entry(given, i))) {
        result.r1 |= 1 << (i - 1);
      }
    }
  }

  private static HandOverEntry entry(HandOverEntry entry, int i) {
    entry.kind = Kind.SEGMENT;
    entry.packet = i;
    entry.header = -i;
    entry.length = i + 1;
    entry.high = i << 8;
    entry.low = 7L * i;
    entry.remote = ~i;
    return entry;
  }

  private static boolean isWhole(HandOverEntry entry) {
    int i = (int) entry.packet;
    return entry.header == -i
        && entry.length == i + 1
        && entry.high == i << 8
        && entry.low == 7L * i
        && entry.remote == ~i;
  }

  /** The stack that takes: how many it finds at first. */
  @Actor
  public void take(IIII_Result result) {
    result.r2 = queue.size();
    takeAll();
    result.r3 = taken;
  }

  private void takeAll() {
    for (int count = queue.size(); count > 0; count--) {
      queue.take(entry);
      taken = isWhole(entry) ? taken * 10 + (int) entry.packet : BROKEN;
    }
  }

  /** What has been taken at last: a digit for each entry. */
  @Arbiter
  public void end(IIII_Result result) {
    takeAll();
    result.r4 = taken;
  }
}
