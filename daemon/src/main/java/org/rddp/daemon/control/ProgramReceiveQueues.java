package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.snapshot.Snapshot;

/** Carries out a program's requests for shared receive queues. Control thread only. */
final class ProgramReceiveQueues {
  private final ProgramSession program;

  /** Receives of all shared queues, limited by the outstanding requests of the session. */
  private final Quota receives;

  ProgramReceiveQueues(ProgramSession program, Limits limits) {
    this.program = program;
    receives =
        new Quota(
            "receives in shared queues of this program", limits.session().completions(), null);
  }

  /** Sets the number of receives that all queues together may hold. */
  void limit(int most) {
    receives.limit(most);
  }

  /** Transfers how much of the quota is in use: all queues together. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ProgramReceiveQueues.class);
    long used = snapshot.number("receives", receives.used(), 0, Integer.MAX_VALUE);
    if (snapshot.reads()) {
      receives.add(used);
    }
    snapshot.end();
  }

  void create(Session session, ProgramMessage.CreateReceiveQueue create)
      throws RequestRefusedException {
    int size = create.size();
    if (size < 1) {
      throw new RequestRefusedException(
          Reason.INVALID, "a queue that holds " + size + " receives; the least is 1");
    }
    receives.take(size); // RDMAP-8.1.2-05: "MUST control the allocation of CQ entries"
    program.onEngine(
        create.request(),
        () -> {
          try {
            int queue = session.createReceiveQueue(size, create.domain());
            return new DaemonMessage.ReceiveQueueCreated(create.request(), queue);
          } catch (RequestRefusedException e) {
            program.onControl(() -> receives.give(size));
            throw e;
          }
        });
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
