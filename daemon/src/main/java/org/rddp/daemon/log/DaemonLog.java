package org.rddp.daemon.log;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.OutputStream;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.rddp.daemon.configuration.LogConfiguration;
import org.rddp.daemon.configuration.LogLevel;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The daemon's log, by SLF4J and Logback: one logger for each {@link LogTopic}. Each writes a
 * limited number of lines in a second; further ones are counted. A separate thread writes, so that
 * callers do not wait for the output; lines that do not fit its queue are counted, too. Texts from
 * programs and peers are escaped. For one thread at a time.
 */
public final class DaemonLog implements AutoCloseable {
  /** Interval in ns at which to call {@link #countLeftOut()}. */
  public static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

  /** Most lines that wait to be written. */
  private static final int QUEUE = 1024;

  /** Time in ms to write waiting lines when the log is closed. */
  private static final int FLUSH_MILLIS = 2000;

  private static final class Period {
    long start;
    int lines;
    long leftOut;
  }

  private final LoggerContext context = new LoggerContext();
  private final AsyncAppender appender = new AsyncAppender();
  private final LongSupplier clock;
  private final int linesPerPeriod;
  private final Map<LogTopic, Period> periods = new EnumMap<>(LogTopic.class);

  /** Creates a log that writes to a stream, which is not closed with the log. */
  public DaemonLog(LogConfiguration configuration, OutputStream out) {
    this(configuration, out, System::nanoTime);
  }

  /** Creates a log with a clock in ns. */
  DaemonLog(LogConfiguration configuration, OutputStream out, LongSupplier clock) {
    this.clock = clock;
    linesPerPeriod = configuration.linesPerSecond();
    context.setName("rddpd");
    context.setMDCAdapter(new LogbackMDCAdapter());
    LineEncoder encoder = LineEncoder.of(configuration.format());
    encoder.setContext(context);
    encoder.start();
    OutputStreamAppender<ILoggingEvent> writer = new OutputStreamAppender<>();
    writer.setContext(context);
    writer.setEncoder(encoder);
    writer.setOutputStream(new UnclosedStream(out));
    writer.start();
    appender.setContext(context);
    appender.setQueueSize(QUEUE);
    appender.setDiscardingThreshold(0);
    appender.setNeverBlock(true);
    appender.setMaxFlushTime(FLUSH_MILLIS);
    appender.addAppender(writer);
    appender.start();
    context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).addAppender(appender);
    context.start();
    setLevels(configuration);
    for (LogTopic topic : LogTopic.values()) {
      Period period = new Period();
      period.start = clock.getAsLong();
      periods.put(topic, period);
    }
  }

  /** Changes the levels of the loggers. Any thread may call this. */
  void setLevels(LogConfiguration configuration) {
    for (LogTopic topic : LogTopic.values()) {
      logger(topic).setLevel(level(configuration.level(topic.logger())));
    }
  }

  private static ch.qos.logback.classic.Level level(LogLevel level) {
    return ch.qos.logback.classic.Level.valueOf(level.name());
  }

  private Logger logger(LogTopic topic) {
    return context.getLogger(topic.logger());
  }

  /** Logs an event, unless its level is off or its topic has too many. */
  public void log(LogTopic topic, Level level, LogFields fields, String message) {
    log(topic, level, fields, message, null);
  }

  /** Logs an internal error with its stack trace. */
  public void error(String message, Throwable cause) {
    log(LogTopic.DAEMON, Level.ERROR, LogFields.NONE, message, cause);
  }

  private void log(LogTopic topic, Level level, LogFields fields, String message, Throwable cause) {
    Logger logger = logger(topic);
    if (!logger.isEnabledForLevel(level)) {
      return;
    }
    Period period = periods.get(topic);
    long now = clock.getAsLong();
    if (now - period.start >= PERIOD) {
      begin(topic, period, now);
    }
    if (period.lines >= linesPerPeriod || appender.getRemainingCapacity() == 0) {
      period.leftOut++;
      return;
    }
    period.lines++;
    LoggingEventBuilder line = logger.atLevel(level);
    for (Map.Entry<String, Object> field : fields.values().entrySet()) {
      line = line.addKeyValue(field.getKey(), field.getValue());
    }
    // Not as a pattern: the text may contain braces.
    line.setCause(cause).setMessage("{}").addArgument(message).log();
  }

  private void begin(LogTopic topic, Period period, long now) {
    long leftOut = period.leftOut;
    period.start = now;
    period.lines = 0;
    period.leftOut = 0;
    if (leftOut > 0) {
      logger(topic).warn("{} further lines of this logger were left out", leftOut);
    }
  }

  /** Counts events that were not passed to {@link #log}. */
  public void leftOut(LogTopic topic, long events) {
    periods.get(topic).leftOut += events;
  }

  /** Logs how many lines of each topic were left out in the period before. */
  public void countLeftOut() {
    long now = clock.getAsLong();
    periods.forEach((topic, period) -> {
      if (period.leftOut > 0 && now - period.start >= PERIOD) {
        begin(topic, period, now);
      }
    });
  }

  /** Writes the waiting lines, for at most two seconds. */
  @Override
  public void close() {
    context.stop();
  }
}
