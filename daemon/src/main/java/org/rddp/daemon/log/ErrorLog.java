package org.rddp.daemon.log;

import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The distinct errors since the daemon was started: count, first and last time, and the last one as
 * an example. Errors of the same topic and user that differ only by numbers count as one. When
 * full, drops the least recent error of the user with the most; the daemon's own errors have
 * separate room, so no user's errors push out alarms. Control thread only.
 */
public final class ErrorLog {
  /** The user of errors that belong to no program. */
  public static final int DAEMON = -1;

  /** Errors kept of programs; as many are kept of the daemon itself. */
  static final int CAPACITY = 256;

  /** Characters kept of an error. */
  private static final int MOST_CHARACTERS = 500;

  /** Errors of the same key are the same. */
  private record Key(LogTopic topic, int user, String pattern) {}

  private final Supplier<Instant> clock;
  private int lastNumber;

  /** In the order of their last occurrence. */
  private final Map<Key, DistinctError> errors = new LinkedHashMap<>(16, 0.75f, true);

  /** Creates an empty log. */
  public ErrorLog() {
    this(Instant::now);
  }

  ErrorLog(Supplier<Instant> clock) {
    this.clock = clock;
  }

  /**
   * Records an error.
   *
   * @param user of the program that it concerns, or {@link #DAEMON}
   * @return whether it is a new one
   */
  public boolean record(LogTopic topic, int user, LogFields fields, String text) {
    String kept = LogText.shortened(text, MOST_CHARACTERS);
    Instant now = clock.get();
    Key key = new Key(topic, user, ErrorPattern.of(kept));
    DistinctError error = errors.get(key);
    boolean isNew = error == null;
    if (isNew) {
      lastNumber++;
      error = new DistinctError(lastNumber, topic, user, key.pattern(), now);
      makeRoom(user == DAEMON);
      errors.put(key, error);
    }
    error.happened(now, fields, kept);
    return isNew;
  }

  private void makeRoom(boolean ofDaemon) {
    Map<Integer, Integer> byUser = new HashMap<>();
    int kept = 0;
    for (Key each : errors.keySet()) {
      if ((each.user == DAEMON) == ofDaemon) {
        byUser.merge(each.user, 1, Integer::sum);
        kept++;
      }
    }
    if (kept >= CAPACITY) {
      int user = Collections.max(byUser.entrySet(), Map.Entry.comparingByValue()).getKey();
      errors.keySet().stream()
          .filter(each -> each.user == user)
          .findFirst()
          .ifPresent(errors::remove);
    }
  }

  /** The errors from a number on, by their numbers. */
  public List<DistinctError> from(int number) {
    return errors.values().stream()
        .filter(error -> error.number() >= number)
        .sorted(Comparator.comparingInt(DistinctError::number))
        .toList();
  }
}
