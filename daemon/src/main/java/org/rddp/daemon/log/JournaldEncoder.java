package org.rddp.daemon.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines for systemd's journal, which adds the time: each begins with its priority, such as {@code
 * <4>} (sd-daemon(3)).
 */
final class JournaldEncoder extends LineEncoder {
  @Override
  List<String> lines(ILoggingEvent event) {
    List<String> lines = new ArrayList<>();
    String priority = priority(event.getLevel());
    lines.add(priority + TextEncoder.line(event));
    trace(event).forEach(line -> lines.add(priority + line));
    return lines;
  }

  private static String priority(Level level) {
    return switch (level.toInt()) {
      case Level.ERROR_INT -> "<3>";
      case Level.WARN_INT -> "<4>";
      case Level.INFO_INT -> "<6>";
      default -> "<7>";
    };
  }
}
