package org.rddp.bench.sockets;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Sample;

/** A server and a client, unmodified, of which the client prints figures. */
interface MeasuredProgram {
  /** The port at which servers listen. */
  int PORT = 7401;

  /**
   * What a server needs before it is started for the first time.
   *
   * @param folder of its own
   * @throws CannotRunException if the machine lacks something
   */
  default void prepare(Path folder) throws CannotRunException, IOException, InterruptedException {}

  /** The server's command, at an address and {@link #PORT}. */
  List<String> server(String address, Path folder) throws CannotRunException;

  /** What the server prints once it listens. */
  String ready();

  /** The client's command. */
  List<String> client(String address, SocketsTask task) throws CannotRunException;

  /**
   * The figures that the client has printed.
   *
   * @throws IOException with what it has printed, if there are none
   */
  Sample sample(String printed) throws IOException;
}
