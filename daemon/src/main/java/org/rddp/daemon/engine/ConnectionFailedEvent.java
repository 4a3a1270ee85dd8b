package org.rddp.daemon.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** For Flight Recorder: a connection was not established, or did not end gracefully. */
@Name("org.rddp.ConnectionFailed")
@Label("Connection Failed")
@Category("rddp")
@Description("A connection was not established, or an error has ended it")
@StackTrace(false)
final class ConnectionFailedEvent extends ConnectionEvent {
  @Label("Opened")
  @Description("Whether it had reached Full Operation")
  boolean opened;

  @Label("Reason")
  String reason;

  @Label("Detail")
  @Description("Error number of the reason, or 0")
  int detail;

  @Label("Text")
  String text;

  ConnectionFailedEvent() {}
}
