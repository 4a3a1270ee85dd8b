package org.rddp.daemon.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** For Flight Recorder: a connection has reached Full Operation. */
@Name("org.rddp.ConnectionOpened")
@Label("Connection Opened")
@Category("rddp")
@Description("A connection has reached Full Operation")
@StackTrace(false)
final class ConnectionOpenedEvent extends ConnectionEvent {
  @Label("Initiator")
  @Description("Whether this end has asked for the connection")
  boolean initiator;

  ConnectionOpenedEvent() {}
}
