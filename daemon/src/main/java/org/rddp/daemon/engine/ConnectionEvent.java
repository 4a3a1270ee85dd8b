package org.rddp.daemon.engine;

import jdk.jfr.Event;
import jdk.jfr.Label;

/** Common fields of events about a connection. */
abstract class ConnectionEvent extends Event {
  @Label("Interface")
  String port;

  @Label("Local Port")
  int localPort;

  @Label("Remote Address")
  String remoteAddress;

  @Label("Remote Port")
  int remotePort;

  ConnectionEvent() {}
}
