package org.rddp.ddp;

import org.rddp.mpa.MpaError;

/** Lets a stream hear of an error of MPA. */
public final class LlpFailure {
  private LlpFailure() {}

  /** As if MPA had found the error now. */
  public static void report(DdpStream stream, MpaError error) {
    stream.onError(error, "as MPA says");
  }
}
