package org.rddp.daemon.log;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The distinct errors since the daemon was started: how often, when first and last, and the last
 * one as an example. Errors of the same topic and user that differ only by numbers are the same. Of
 * too many, those that happened least recently are forgotten. Control thread only.
 */
public final class ErrorLog {
  /** The user of errors that belong to no program. */
  public static final int DAEMON = -1;

  /** Errors that are kept. */
  static final int CAPACITY = 256;

  /** Characters of an error that are kept. */
  private static final int MOST_CHARACTERS = 500;

  /** Errors of the same key are the same. */
  private record Key(LogTopic topic, int user, String pattern) {}

  private final Supplier<Instant> clock;
  private int lastNumber;

  private final Map<Key, DistinctError> errors =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, DistinctError> eldest) {
          return size() > CAPACITY;
        }
      };

  /** No errors. */
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
      errors.put(key, error);
    }
    error.happened(now, fields, kept);
    return isNew;
  }

  /** The errors from a number on, by their numbers. */
  public List<DistinctError> from(int number) {
    return errors.values().stream()
        .filter(error -> error.number() >= number)
        .sorted(Comparator.comparingInt(DistinctError::number))
        .toList();
  }
}
