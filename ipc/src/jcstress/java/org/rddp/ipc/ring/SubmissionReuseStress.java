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
import org.rddp.client.types.Opcode;

/**
 * A full ring: the program overwrites a slot only when the daemon has said that it is taken, and
 * the daemon never takes a slot of the lap before again.
 */
@JCStressTest
@Outcome(id = "4, 0", expect = Expect.ACCEPTABLE, desc = "No slot was seen free.")
@Outcome(id = "4, 1", expect = Expect.ACCEPTABLE, desc = "Posted after the daemon's last poll.")
@Outcome(id = "5, 1", expect = Expect.ACCEPTABLE, desc = "Posted and taken.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Overwritten, lost or duplicated.")
@State
public class SubmissionReuseStress {
  private static final ThreadLocal<WorkRequest> REQUEST = ThreadLocal.withInitial(WorkRequest::new);

  private final MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(4, 8), 64);
  private final DaemonRings daemon = new DaemonRings(memory, 4, 8);
  private final ProgramRings program;

  /** A full ring for one round. */
  public SubmissionReuseStress() {
    try {
      program = new ProgramRings(memory, () -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    for (int i = 0; i < 4; i++) {
      post(i);
    }
  }

  private boolean post(int id) {
    SubmissionEntry entry = program.claim(1);
    return entry != null
        && entry.begin(Opcode.SEND, 0, id, id).memory(id, id, id).remote(id, id).submit();
  }

  /** The program: whether the fifth found room. */
  @Actor
  public void postOneMore(II_Result result) {
    result.r2 = post(4) ? 1 : 0;
  }

  /** The daemon: number of requests taken; negative if one had a wrong field. */
  @Actor
  public void takeAll(II_Result result) {
    WorkRequest request = REQUEST.get();
    int count = 0;
    for (int look = 0; look < 8; look++) {
      if (daemon.take(request) == DaemonRings.TAKEN) {
        if (request.id() != count
            || request.connection() != count
            || request.localStag() != count
            || request.localOffset() != count
            || request.length() != count
            || request.remoteStag() != count
            || request.remoteTo() != count) {
          count = -100;
        }
        count++;
      }
      daemon.flush();
    }
    result.r1 = count;
  }
}
