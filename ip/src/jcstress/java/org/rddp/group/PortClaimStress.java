package org.rddp.group;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two stacks claim the same port towards the same remote address and port: one gets it. The first
 * opens two connections and ends one of them.
 */
@JCStressTest
@Outcome(id = "2, 0, 0", expect = Expect.ACCEPTABLE, desc = "The first has it.")
@Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "The second has it.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Both have it, or none, or it is lost.")
@State
public class PortClaimStress {
  /** One table for all rounds, each of which has a place of its own: a table is large. */
  private static final PortClaims CLAIMS = new PortClaims();

  private static final AtomicInteger ROUNDS = new AtomicInteger();

  private final int slot = ROUNDS.getAndIncrement() & (1 << 20) - 1;

  /** A round. */
  public PortClaimStress() {}

  /** The first stack: how many connections it opens. */
  @Actor
  public void first(III_Result result) {
    result.r1 = (CLAIMS.claim(slot, 0) ? 1 : 0) + (CLAIMS.claim(slot, 0) ? 1 : 0);
    if (result.r1 > 0) {
      CLAIMS.release(slot, 0);
    }
  }

  /** The second stack. */
  @Actor
  public void second(III_Result result) {
    result.r2 = CLAIMS.claim(slot, 1) ? 1 : 0;
  }

  /** Who has it at last, for whom it ends. */
  @Arbiter
  public void end(III_Result result) {
    result.r3 = CLAIMS.owner(slot);
    if (result.r3 >= 0) {
      CLAIMS.release(slot, result.r3);
    }
  }
}
