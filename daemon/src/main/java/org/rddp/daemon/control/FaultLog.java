package org.rddp.daemon.control;

import java.util.concurrent.atomic.LongAdder;
import org.rddp.daemon.engine.ConnectionFailure;
import org.rddp.daemon.engine.FaultHandler;
import org.rddp.daemon.log.DaemonEvents;
import org.rddp.daemon.log.LogTopic;

/** Passes faults of the engines' threads to the control thread, which logs them. */
final class FaultLog implements FaultHandler {
  /** If more tasks wait, faults and refused connections are not logged. */
  private static final int MOST_TASKS = 256;

  private final ControlTasks tasks;
  private final DaemonEvents events;
  private final LongAdder leftOut = new LongAdder();

  FaultLog(ControlTasks tasks, DaemonEvents events) {
    this.tasks = tasks;
    this.events = events;
  }

  @Override
  public void onFault(String where, Throwable cause) {
    if (tasks.waiting() < MOST_TASKS) {
      tasks.add(() -> events.fault(where, cause));
    }
  }

  @Override
  public void onRestart(String engine, int sessions, Throwable cause) {
    tasks.add(() ->
        events.warn(
            "ALARM: the engine of interface %s has failed and begins anew; its sessions end (%d): %s"
                .formatted(engine, sessions, cause)));
  }

  @Override
  public void onRefused(String detail) {
    logUnlessBusy(() -> events.warn(detail));
  }

  @Override
  public void onConnectionFailed(ConnectionFailure failure) {
    logUnlessBusy(() -> events.connectionFailed(failure));
  }

  private void logUnlessBusy(Runnable line) {
    if (tasks.waiting() < MOST_TASKS) {
      tasks.add(line);
    } else {
      leftOut.increment();
    }
  }

  /** Logs how many lines were left out since the last call. Control thread only. */
  void countLeftOut() {
    events.leftOut(LogTopic.CONNECTION, leftOut.sumThenReset());
  }
}
