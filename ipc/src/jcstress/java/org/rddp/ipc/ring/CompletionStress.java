package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;

/** The daemon reports two completions while the program polls: each is seen whole, in order. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Neither was seen yet.")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The first was seen.")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The first was seen at the second poll.")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "Both were seen.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Torn, lost, duplicated or out of order.")
@State
public class CompletionStress {
  private static final ThreadLocal<WorkRequest> REQUEST = ThreadLocal.withInitial(WorkRequest::new);

  private final MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(4, 4), 64);
  private final DaemonRings daemon = new DaemonRings(memory, 4, 4);
  private final PolledCompletion completion = new PolledCompletion();
  private final ProgramRings program;

  /** Two requests in work, for one round. */
  public CompletionStress() {
    try {
      program = new ProgramRings(memory, () -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    for (int i = 0; i < 2; i++) {
      program.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, i, 0).submit();
      daemon.take(REQUEST.get());
    }
  }

  /** The daemon. */
  @Actor
  public void complete() {
    for (int i = 1; i <= 2; i++) {
      daemon.claim(1).begin(i, i, i, CompletionStatus.of(i), i).detail(i).submit();
    }
  }

  /** The program. */
  @Actor
  public void poll(II_Result result) {
    result.r1 = look();
    result.r2 = look();
  }

  private int look() {
    if (!program.poll(completion)) {
      return 0;
    }
    int id = (int) completion.id();
    boolean whole =
        completion.connection() == id
            && completion.opcode() == id
            && completion.status() == CompletionStatus.of(id)
            && completion.octets() == id
            && completion.retired() == 1
            && completion.detail() == id;
    return whole ? id : -id;
  }
}
