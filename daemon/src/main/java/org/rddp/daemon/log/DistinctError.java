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

  /** Its number, higher than that of errors that happened first before it. */
  public int number() {
    return number;
  }

  /** What it is about. */
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

  /** How often it has happened. */
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

  /** What the last one belonged to. */
  public LogFields fields() {
    return fields;
  }

  /** The text of the last one. */
  public String example() {
    return example;
  }
}
