package org.rddp.daemon.control;

import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.RefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.ipc.DaemonMessage;
import org.rddp.ipc.ProgramMessage;
import org.rddp.ipc.Reason;

/** What a program asks for about shared receive queues. Control thread only. */
final class ProgramReceiveQueues {
  private final Program program;

  /** All together hold no more receives than the program can have outstanding. */
  private final Quota receives;

  ProgramReceiveQueues(Program program, Limits limits) {
    this.program = program;
    receives = new Quota("receives in shared queues of this program", limits.completions(), null);
  }

  void create(Session session, ProgramMessage.CreateReceiveQueue create) throws RefusedException {
    int size = create.size();
    if (size < 1) {
      throw new RefusedException(
          Reason.INVALID, "a queue that holds " + size + " receives; it holds 1 at least");
    }
    receives.take(size);
    program.onEngine(
        create.request(),
        () ->
            new DaemonMessage.ReceiveQueueCreated(
                create.request(), session.createReceiveQueue(size)));
  }

  void arm(Session session, ProgramMessage.ArmReceiveQueue arm) {
    program.onEngine(
        arm.request(),
        () -> {
          session.armReceiveQueue(arm.queue(), arm.limit());
          return new DaemonMessage.Done(arm.request());
        });
  }

  void destroy(Session session, ProgramMessage.DestroyReceiveQueue destroy) {
    program.onEngine(
        destroy.request(),
        () -> {
          int size = session.destroyReceiveQueue(destroy.queue());
          program.onControl(() -> receives.give(size));
          return new DaemonMessage.Done(destroy.request());
        });
  }
}
