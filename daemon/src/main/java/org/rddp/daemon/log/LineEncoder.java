package org.rddp.daemon.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.rddp.daemon.configuration.LogFormat;

/** Makes lines of events; a subclass for each {@link LogFormat}. */
abstract class LineEncoder extends EncoderBase<ILoggingEvent> {
  /** Characters kept of a message or a value. */
  private static final int MOST_CHARACTERS = 500;

  private static final int MOST_CAUSES = 8;
  private static final int MOST_FRAMES = 64;

  /** Always with three decimals, so that lines sort as text. */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  static LineEncoder of(LogFormat format) {
    return switch (format) {
      case TEXT -> new TextEncoder();
      case JSON -> new JsonEncoder();
      case JOURNALD -> new JournaldEncoder();
    };
  }

  /** The lines of an event. */
  abstract List<String> lines(ILoggingEvent event);

  @Override
  public final byte[] encode(ILoggingEvent event) {
    return (String.join("\n", lines(event)) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public final byte[] headerBytes() {
    return null;
  }

  @Override
  public final byte[] footerBytes() {
    return null;
  }

  static String time(ILoggingEvent event) {
    return TIME.format(Instant.ofEpochMilli(event.getTimeStamp()));
  }

  static String level(ILoggingEvent event) {
    return event.getLevel().toString().toLowerCase(Locale.ROOT);
  }

  static String escaped(Object value) {
    return LogText.escaped(String.valueOf(value), MOST_CHARACTERS);
  }

  /** The stack trace of an event's exception and its causes; empty if it has none. */
  static List<String> trace(ILoggingEvent event) {
    List<String> lines = new ArrayList<>();
    IThrowableProxy next = event.getThrowableProxy();
    for (int i = 0; i < MOST_CAUSES && next != null; i++) {
      lines.add("    " + escaped(next.getClassName() + ": " + next.getMessage()));
      int frames = Math.min(next.getStackTraceElementProxyArray().length, MOST_FRAMES);
      for (int j = 0; j < frames; j++) {
        lines.add("        " + next.getStackTraceElementProxyArray()[j].getSTEAsString());
      }
      next = next.getCause();
    }
    return lines;
  }
}
