package org.rddp.daemon.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * Lines for people: {@code time level logger key=value ...: message}. The message comes last, so
 * that no part of it looks like a value. The lines of a stack trace are indented.
 */
final class TextEncoder extends LineEncoder {
  @Override
  List<String> lines(ILoggingEvent event) {
    List<String> lines = new ArrayList<>();
    lines.add(time(event) + " " + level(event) + " " + line(event));
    lines.addAll(trace(event));
    return lines;
  }

  /** The line without its time and level. */
  static String line(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(event.getLoggerName());
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        line.append(' ').append(pair.key).append('=').append(quoted(escaped(pair.value)));
      }
    }
    return line.append(": ").append(escaped(event.getFormattedMessage())).toString();
  }

  /** Quotes a value that is empty or has characters other than those of words and addresses. */
  private static String quoted(String value) {
    return value.matches("[\\w.:/-]+") ? value : '"' + value.replace("\"", "\\\"") + '"';
  }
}
