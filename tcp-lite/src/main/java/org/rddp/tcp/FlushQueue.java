package org.rddp.tcp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * Connections that are flushed before the burst is transmitted, and connections that wait until
 * packets are released. Allocates only to grow.
 */
final class FlushQueue {
  private TcpConnection[] scheduled = new TcpConnection[16];
  private TcpConnection[] flushing = new TcpConnection[16];
  private TcpConnection[] waiting = new TcpConnection[16];
  private int scheduledCount;
  private int waitingCount;

  boolean isEmpty() {
    return scheduledCount == 0;
  }

  /** Schedules a connection to be flushed in this turn. */
  void schedule(TcpConnection connection) {
    if (scheduledCount == scheduled.length) {
      scheduled = Arrays.copyOf(scheduled, scheduledCount * 2);
    }
    scheduled[scheduledCount++] = connection;
  }

  /** Adds a connection to be notified when packets are released. */
  void awaitPackets(TcpConnection connection) {
    if (waitingCount == waiting.length) {
      waiting = Arrays.copyOf(waiting, waitingCount * 2);
    }
    waiting[waitingCount++] = connection;
  }

  /** Notifies the waiting connections that kept packets have been released. */
  void packetsReleased() {
    for (int i = 0; i < waitingCount; i++) {
      waiting[i].packetsAvailable();
      waiting[i] = null;
    }
    waitingCount = 0;
  }

  /** Flushes the scheduled connections; one scheduled meanwhile is flushed the next time. */
  void flush(StackContext context) {
    TcpConnection[] due = scheduled;
    int count = scheduledCount;
    scheduled = flushing;
    scheduledCount = 0;
    flushing = due;
    for (int i = 0; i < count; i++) {
      TcpConnection connection = due[i];
      due[i] = null;
      try {
        connection.flush();
      } catch (Throwable failure) {
        context.failed(connection, failure);
      }
    }
  }

  void clear() {
    Arrays.fill(scheduled, null);
    scheduledCount = 0;
    Arrays.fill(waiting, null);
    waitingCount = 0;
  }

  /** Transfers which connections are scheduled, and which wait; when read, none is before. */
  void transfer(Snapshot snapshot, References<TcpConnection> connections) {
    snapshot.begin(FlushQueue.class);
    for (TcpConnection each : transfer(snapshot, "scheduled", scheduled, connections)) {
      schedule(each);
    }
    for (TcpConnection each : transfer(snapshot, "waiting", waiting, connections)) {
      awaitPackets(each);
    }
    snapshot.end();
  }

  /** Transfers the connections of an array, but for those that have ended; returns those read. */
  private static List<TcpConnection> transfer(
      Snapshot snapshot, String name, TcpConnection[] of, References<TcpConnection> connections) {
    List<TcpConnection> written =
        Arrays.stream(of).filter(each -> each != null && connections.contain(each)).toList();
    int count = snapshot.number(name, written.size(), 0, Integer.MAX_VALUE);
    List<TcpConnection> read = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TcpConnection one =
          connections.transfer(snapshot, name, snapshot.reads() ? null : written.get(i));
      if (one == null) {
        throw snapshot.wrong("a connection is missing");
      }
      read.add(one);
    }
    return snapshot.reads() ? read : List.of();
  }
}
