package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import java.io.IOException;

/**
 * One way to do what a benchmark measures: rddp's, or a peer's. It has a constructor without
 * arguments and lives in a process of its own ({@link RigMain}). All methods are called on that
 * process's main thread. Between calls the process may be stopped for minutes: nothing in a rig may
 * end a connection for its silence.
 */
public interface Rig extends AutoCloseable {
  /**
   * Makes everything ready: devices, sockets, threads.
   *
   * @param arguments the {@link Contender}'s
   * @throws CannotRunException when the machine or the user's rights do not allow it: the reason
   *     stands in the table in place of the figures
   * @throws Exception any other failure; its text takes the same place
   */
  void open(JsonObject arguments) throws Exception;

  /**
   * Does a round of work and measures it. The first figure of the sample is the one by which it is
   * seen whether the rig is warm.
   *
   * @param task what to do, as the benchmark and its rigs have agreed; {@code millis} in it, if
   *     any, is how long the round is to take
   * @throws CannotRunException when this rig cannot do this task; it may be asked for others
   * @throws Exception when the rig has failed: it is not asked for anything any more
   */
  Sample round(JsonObject task) throws Exception;

  @Override
  void close() throws IOException;
}
