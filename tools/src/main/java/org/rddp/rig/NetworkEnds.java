package org.rddp.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.spi.SelectorProvider;

/** The two ends of a measurement over the kernel's TCP. */
public interface NetworkEnds {
  /** Moves the calling thread, whose sockets will listen, to its end; waits for the other. */
  void enterServer() throws IOException, InterruptedException;

  /** Moves the calling thread, whose sockets will connect, to its end; waits for the other. */
  void enterClient() throws IOException, InterruptedException;

  /** What makes sockets there. */
  default SelectorProvider provider() {
    return SelectorProvider.provider();
  }

  /** The server's address, as both ends know it. */
  InetAddress serverAddress();

  /** The name of what joins the ends, for reports. */
  String device();
}
