package org.rddp.bench.layout;

import java.io.IOException;
import org.rddp.client.Rddp;

/** Two programs' sessions, and the daemons that they are with. */
public interface ProgramEnds extends AutoCloseable {
  /** The program that connects. */
  Rddp near();

  /** The program that listens. */
  Rddp far();

  @Override
  void close() throws IOException;
}
