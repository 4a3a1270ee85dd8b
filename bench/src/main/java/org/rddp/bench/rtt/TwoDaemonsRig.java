package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import org.rddp.bench.layout.TwoDaemons;

/**
 * Round trips of rddp in the layout of {@link TwoDaemons}; the programs' thread yields. Argument:
 * {@code link}, a {@link TwoDaemons.Link}.
 */
public final class TwoDaemonsRig extends ProgramRoundTrips {
  private static final int MTU = 1500;

  @Override
  public void open(JsonObject arguments) throws Exception {
    connect(new TwoDaemons(TwoDaemons.link(arguments), MTU), true);
  }
}
