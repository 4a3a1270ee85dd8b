package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamSection;

/**
 * What a program's ended streams have left for its next ones: memory that stays mapped, with new
 * sockets, and what it takes of the quotas. So connections that follow one another closely map no
 * memory, and an engine or the program's link gets all that a stream needs without the control
 * thread. Control thread only, except where a method says more.
 */
final class StreamReserve {
  /** The most that are kept. */
  static final int MOST = 32;

  private final Map<StreamSection, Queue<StreamParts>> kept = new HashMap<>();
  private final AtomicInteger count = new AtomicInteger();

  /** Whether one has been taken or added since {@link #wasUsed} was asked. */
  private volatile boolean used;

  /** Keeps parts of a section, too; before an engine knows it. */
  void add(StreamSection section) {
    kept.put(section, new ConcurrentLinkedQueue<>());
  }

  /** Takes parts for a stream; null if none are kept. Any thread. */
  StreamParts take(StreamSection section) {
    StreamParts parts = kept.get(section).poll();
    if (parts != null) {
      count.decrementAndGet();
      used = true;
    }
    return parts;
  }

  /** Keeps parts. */
  void add(StreamParts parts) {
    used = true;
    count.incrementAndGet();
    kept.get(parts.section()).add(parts);
  }

  /** How many are kept. */
  int count() {
    return count.get();
  }

  /** How many are kept of a section. Any thread. */
  int count(StreamSection section) {
    return kept.get(section).size();
  }

  /** Whether it has been used since the last call. */
  boolean wasUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  /** Takes all. */
  List<StreamParts> takeAll() {
    List<StreamParts> all = new ArrayList<>();
    for (StreamSection each : kept.keySet()) {
      for (StreamParts parts = take(each); parts != null; parts = take(each)) {
        all.add(parts);
      }
    }
    return all;
  }
}
