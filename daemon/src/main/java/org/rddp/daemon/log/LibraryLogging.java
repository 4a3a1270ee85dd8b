package org.rddp.daemon.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Configures Logback for libraries that log through SLF4J: warnings go to standard error. Logback
 * finds it as a service. Without it, debugging output of libraries would go to standard output,
 * among the results of commands. The daemon's own log is a {@link DaemonLog}.
 */
public final class LibraryLogging extends ContextAwareBase implements Configurator {
  /** For Logback. */
  public LibraryLogging() {}

  @Override
  public ExecutionStatus configure(LoggerContext loggers) {
    LineEncoder encoder = new TextEncoder();
    encoder.setContext(loggers);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(loggers);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = loggers.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(appender);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
