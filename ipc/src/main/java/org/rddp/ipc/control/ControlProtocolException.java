package org.rddp.ipc.control;

import java.io.IOException;

/** The other end of the control socket sent something that the protocol does not allow. */
public final class ControlProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  ControlProtocolException(String what) {
    super("control protocol: " + what);
  }
}
