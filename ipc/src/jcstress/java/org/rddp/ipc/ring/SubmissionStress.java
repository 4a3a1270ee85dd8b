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
import org.rddp.client.types.SendFlags;

/**
 * A program posts two requests, one of them of four slots, while the daemon takes: a request is
 * seen whole or not at all, in order, and once.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Neither was seen yet.")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The first was seen.")
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "The first was seen at the second poll.")
@Outcome(id = "1, 3", expect = Expect.ACCEPTABLE, desc = "Both were seen.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Torn, lost, duplicated or out of order.")
@State
public class SubmissionStress {
  private static final MemorySegment DATA = MemorySegment.ofArray(new long[21]);
  private static final ThreadLocal<WorkRequest> REQUEST = ThreadLocal.withInitial(WorkRequest::new);

  static {
    DATA.fill((byte) 0x5a);
  }

  private final MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(8, 4), 64);
  private final DaemonRings daemon = new DaemonRings(memory, 8, 4);
  private final ProgramRings program;

  /** Rings for one round. */
  public SubmissionStress() {
    try {
      program = new ProgramRings(memory, () -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The program. */
  @Actor
  public void post() {
    program
        .claim(1)
        .begin(Opcode.WRITE, SendFlags.SIGNALLED, 1, 2)
        .memory(3, 4, 5)
        .remote(6, 7)
        .submit();
    program
        .claim(WorkRequest.slotsForInline(WorkRequest.MAX_INLINE))
        .begin(Opcode.SEND, 0, 8, 9)
        .inline(DATA, 0, WorkRequest.MAX_INLINE)
        .submit();
  }

  /** The daemon: 1 or 2 for the first request at the first or second look, 3 for the second. */
  @Actor
  public void take(II_Result result) {
    WorkRequest request = REQUEST.get();
    int first = daemon.take(request);
    if (first == DaemonRings.TAKEN) {
      result.r1 = isFirst(request) ? 1 : -1;
    } else {
      result.r1 = first;
    }
    int second = daemon.take(request);
    if (second == DaemonRings.TAKEN) {
      boolean expectsFirst = first == DaemonRings.NOTHING;
      if (expectsFirst) {
        result.r2 = isFirst(request) ? 2 : -2;
      } else {
        result.r2 = isSecond(request) ? 3 : -3;
      }
    } else {
      result.r2 = second;
    }
  }

  private static boolean isFirst(WorkRequest request) {
    return request.opcode() == Opcode.WRITE
        && request.isSignalled()
        && request.id() == 1
        && request.connection() == 2
        && request.localStag() == 3
        && request.localOffset() == 4
        && request.length() == 5
        && request.remoteStag() == 6
        && request.remoteTo() == 7;
  }

  private static boolean isSecond(WorkRequest request) {
    return request.opcode() == Opcode.SEND
        && request.isInline()
        && request.id() == 8
        && request.connection() == 9
        && request.length() == WorkRequest.MAX_INLINE
        && MemorySegment.ofAddress(request.inlineAddress())
                .reinterpret(WorkRequest.MAX_INLINE)
                .mismatch(DATA)
            == -1;
  }
}
