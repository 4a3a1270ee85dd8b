package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import java.io.IOException;

/**
 * Does a benchmark's tasks by rddp or by a peer. A rig has a constructor without arguments and a
 * process of its own ({@link RigMain}), whose main thread calls all methods. Between calls the
 * process may be stopped for minutes, so a rig must not time out idle connections.
 */
public interface Rig extends AutoCloseable {
  /**
   * Opens devices, sockets and threads.
   *
   * @param arguments the {@link Contender}'s
   * @throws CannotRunException when the machine or the user's rights do not allow it; tables show
   *     the reason in place of figures
   * @throws Exception any other failure, shown in the same way
   */
  void open(JsonObject arguments) throws Exception;

  /**
   * Measures a round. The first figure of the sample decides whether the rig is warm.
   *
   * @param task parameters that the benchmark and its rigs agree on; {@code millis}, if any, is how
   *     long the round is to take
   * @throws CannotRunException when this rig cannot do this task; it may get others
   * @throws Exception when the rig has failed; it gets no more tasks
   */
  Sample round(JsonObject task) throws Exception;

  @Override
  void close() throws IOException;
}
