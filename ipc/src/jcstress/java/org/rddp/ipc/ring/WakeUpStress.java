package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;

/**
 * A program that is about to block either sees the completion, or the daemon sees that it waits.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "The program blocks and is woken.")
@Outcome(
    id = "false, true",
    expect = Expect.ACCEPTABLE,
    desc = "The program does not block, and gets a spurious wake-up.")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "The program does not block.")
@Outcome(
    id = "true, false",
    expect = Expect.FORBIDDEN,
    desc = "The program blocks and is not woken.")
@State
public class WakeUpStress {
  private static final ThreadLocal<WorkRequest> REQUEST = ThreadLocal.withInitial(WorkRequest::new);

  private final MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(4, 4), 64);
  private final DaemonRings daemon = new DaemonRings(memory, 4, 4);
  private final ProgramRings program;

  /** One request in work, for one round. */
  public WakeUpStress() {
    try {
      program = new ProgramRings(memory, () -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    program.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 1, 0).submit();
    daemon.take(REQUEST.get());
  }

  /** The program: whether it blocks. */
  @Actor
  public void await(ZZ_Result result) {
    result.r1 = program.requestSignal();
  }

  /** The daemon: whether it signals. */
  @Actor
  public void complete(ZZ_Result result) {
    daemon.claim(1).begin(1, 0, Opcode.SEND, CompletionStatus.SUCCESS, 0).submit();
    result.r2 = daemon.flush();
  }
}
