package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.WaitStrategy;

/** A rig of two programs in the layout of {@link OneDaemon}, whose arguments it takes. */
abstract class ProgramRig implements Rig {
  private static final int PORT = 7;

  private OneDaemon daemon;
  private ConnectionOpener connections;

  /** Opens what all rounds use. */
  abstract void openConnections(JsonObject arguments) throws Exception;

  @Override
  public final void open(JsonObject arguments) throws Exception {
    daemon = OneDaemon.forStreams(arguments);
    connections =
        new ConnectionOpener(daemon.near(), daemon.far(), JoinedInterfaces.farAddress(PORT));
    openConnections(arguments);
  }

  final OneDaemon daemon() {
    return daemon;
  }

  final ConnectionOpener connections() {
    return connections;
  }

  /** Round trips of writes between the programs; the pair needs a connection first. */
  final ProgramPair pair(int octets, WaitStrategy waiting) throws IOException {
    ProgramPair pair = new ProgramPair(daemon.near(), daemon.far(), octets, waiting);
    pair.prepare(ProgramPair.Verb.WRITE, octets);
    return pair;
  }

  /** A stream of writes over a new connection. */
  final WriteStream stream(long memory) throws IOException, InterruptedException {
    return new WriteStream(daemon.near(), daemon.far(), connections.connect().near(), memory);
  }

  @Override
  public final void close() throws IOException {
    if (connections != null) {
      connections.close();
    }
    if (daemon != null) {
      daemon.close();
    }
  }
}
