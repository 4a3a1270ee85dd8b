package org.rddp.tcp;

import java.io.Serial;

/** Thrown if the interface has no route to an address. */
public final class NoRouteException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1L;

  NoRouteException(String message) {
    super(message);
  }
}
