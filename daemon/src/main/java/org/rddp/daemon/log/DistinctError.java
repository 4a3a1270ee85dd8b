package org.rddp.daemon.log;

import java.time.Instant;

/** One error of an {@link ErrorLog}, which may have happened many times. Control thread only. */
public final class DistinctError {
  private final int number;
  private final LogTopic topic;
  private final int user;
  private final String pattern;
  private final Instant first;
  private Instant last;
  private long count;
  private LogFields fields;
  private String example;

  DistinctError(int number, LogTopic topic, int user, String pattern, Instant first) {
    this.number = number;
    this.topic = topic;
    this.user = user;
    this.pattern = pattern;
    this.first = first;
  }

  void happened(Instant now, LogFields what, String text) {
    count++;
    last = now;
    fields = what;
    example = text;
  }

  /** Its number; errors are numbered in the order of their first occurrence. */
  public int number() {
    return number;
  }

  /** Its topic. */
  public LogTopic topic() {
    return topic;
  }

  /** The user of its program, or {@link ErrorLog#DAEMON}. */
  public int user() {
    return user;
  }

  /** The text without numbers. */
  public String pattern() {
    return pattern;
  }

  /** Number of occurrences. */
  public long count() {
    return count;
  }

  /** When it happened first. */
  public Instant first() {
    return first;
  }

  /** When it happened last. */
  public Instant last() {
    return last;
  }

  /** The fields of its last occurrence. */
  public LogFields fields() {
    return fields;
  }

  /** The text of its last occurrence. */
  public String example() {
    return example;
  }
}
