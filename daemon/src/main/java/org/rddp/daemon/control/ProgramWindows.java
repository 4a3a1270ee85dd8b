package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
import org.rddp.client.types.WindowKind;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.SessionWindow;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/**
 * Carries out a program's requests for memory windows, which count as regions. Control thread only.
 */
final class ProgramWindows {
  private final ProgramSession program;
  private final Quota regions;

  ProgramWindows(ProgramSession program, Quota regions) {
    this.program = program;
    this.regions = regions;
  }

  void allocate(Session session, ProgramMessage.AllocateWindow allocate)
      throws RequestRefusedException {
    WindowKind kind = WindowKind.of(allocate.kind());
    if (kind == null) {
      throw new RequestRefusedException(
          Reason.INVALID, "no kind of windows has the number " + allocate.kind());
    }
    regions.take(1);
    program.onEngine(
        allocate.request(),
        () -> {
          try {
            SessionWindow window = session.allocateWindow(kind, allocate.domain());
            return new DaemonMessage.WindowAllocated(
                allocate.request(), window.number(), window.nextStag());
          } catch (RequestRefusedException e) {
            giveBack();
            throw e;
          }
        });
  }

  void free(Session session, ProgramMessage.FreeWindow free) {
    program.onEngine(
        free.request(),
        () -> {
          session.freeWindow(free.window());
          giveBack();
          return new DaemonMessage.Done(free.request());
        });
  }

  /** Gives a window back to the quota. Called on the engine's thread. */
  private void giveBack() {
    program.onControl(() -> regions.give(1));
  }
}
