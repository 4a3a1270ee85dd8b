package org.rddp.daemon;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.ipc.PrivateData;

/** Another connection between two programs. */
record SecondConnection(Connection out, Connection in) implements AutoCloseable {
  SecondConnection(ConnectedPrograms programs) {
    this(open(programs));
  }

  private SecondConnection(Connection[] ends) {
    this(ends[0], ends[1]);
  }

  private static Connection[] open(ConnectedPrograms programs) {
    try (Listener listener = programs.there.listen(0)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.PATIENCE).accept());
      InetSocketAddress address = new InetSocketAddress("10.0.0.2", listener.address().getPort());
      Connection out = programs.here.connect(address, PrivateData.NONE, ConnectedPrograms.PATIENCE);
      return new Connection[] {out, accepted.join()};
    }
  }

  @Override
  public void close() {
    out.close();
    in.close();
  }
}
