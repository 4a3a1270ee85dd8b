package org.rddp.rig;

import java.io.IOException;
import java.net.InetAddress;

/** Where the two ends of a measurement over kernel TCP live. */
interface NetworkEnds {
  /** Brings the calling thread, whose sockets will listen, to its end; waits for the other. */
  void enterServer() throws IOException, InterruptedException;

  /** Brings the calling thread, whose sockets will connect, to its end; waits for the other. */
  void enterClient() throws IOException, InterruptedException;

  /** The server's address, as both ends know it. */
  InetAddress serverAddress();

  /** What lies between the ends. */
  String device();
}
