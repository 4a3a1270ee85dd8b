package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;

/** A daemon that is about to sleep either sees the request, or the program wakes it. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "The daemon sleeps and is woken.")
@Outcome(
    id = "false, true",
    expect = Expect.ACCEPTABLE,
    desc = "The daemon does not sleep, and gets a spurious wake-up.")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "The daemon does not sleep.")
@Outcome(
    id = "true, false",
    expect = Expect.FORBIDDEN,
    desc = "The daemon sleeps and is not woken.")
@State
public class SleepStress {
  private static final ThreadLocal<WorkRequest> REQUEST = ThreadLocal.withInitial(WorkRequest::new);

  private final MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(4, 4), 64);
  private final DaemonRings daemon = new DaemonRings(memory, 4, 4);
  private final ProgramRings program;
  private boolean woken;

  /** Empty rings of a daemon that may sleep, for one round. */
  public SleepStress() {
    daemon.allowSleep();
    try {
      program = new ProgramRings(memory, () -> woken = true);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The daemon: whether it sleeps. */
  @Actor
  public void sleep(ZZ_Result result) {
    daemon.announceSleep();
    VarHandle.fullFence();
    result.r1 = daemon.take(REQUEST.get()) == DaemonRings.NOTHING;
  }

  /** The program: whether it wakes the daemon. */
  @Actor
  public void post(ZZ_Result result) {
    program.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 1, 0).submit();
    result.r2 = woken;
  }
}
