package org.rddp.simulation.rdma;

import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedConnection;
import org.rddp.simulation.UndetectedCorruption;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;
import org.rddp.tcp.TcpConnection;

/** One connection: the end that opens it and the one that answers. */
final class SimulatedRdmapConnection implements SimulatedConnection {
  private final HostPair world;
  private final StreamEndpoint client;
  private final StreamEndpoint server;
  private TcpConnection connection;
  private int port;
  private long patienceEnds = Long.MAX_VALUE;

  /** A connection to be opened. */
  SimulatedRdmapConnection(
      HostPair world,
      RdmapHost client,
      RdmapHost server,
      RdmapTerms terms,
      RdmapPlan there,
      RdmapPlan back,
      Slab slab,
      SourceOctets octets,
      RdmapEventCounts counts,
      UndetectedCorruption noise) {
    this.world = world;
    MessageQueue up = new MessageQueue();
    MessageQueue down = new MessageQueue();
    this.client =
        new StreamEndpoint(
            world, client, terms, true, slab, octets, counts, up, down, there, noise);
    this.server =
        new StreamEndpoint(
            world, server, terms, false, slab, octets, counts, down, up, back, noise);
    this.client.peer(this.server);
    this.server.peer(this.client);
  }

  /** Connects to a port of the server. */
  void open(int listening) {
    connection =
        world
            .client()
            .stack()
            .connect(world.server().address(), listening, client.begin().transport());
    port = connection.localPort();
    world.client().scheduleTurn();
  }

  @Override
  public int port() {
    return port;
  }

  StreamEndpoint client() {
    return client;
  }

  StreamEndpoint server() {
    return server;
  }

  @Override
  public boolean done() {
    return client.done() && server.done();
  }

  /** Whether bits may be turned unseen: both ends are up, or will never be. */
  boolean settled() {
    return (client.established() || client.done()) && (server.established() || server.done());
  }

  @Override
  public void supervise(long now, long patience) {
    boolean alone = client.done() != server.done();
    if (!alone) {
      patienceEnds = Long.MAX_VALUE;
    } else if (patienceEnds == Long.MAX_VALUE) {
      patienceEnds = now + patience;
    } else if (now >= patienceEnds && (client.lost() || server.lost())) {
      if (client.done()) {
        server.abort();
      } else {
        abortClient();
      }
    }
  }

  /** A connection that is still being opened is TCP's to give up. */
  private void abortClient() {
    client.abort();
    if (!client.done()) {
      connection.abort();
    }
  }

  @Override
  public long progress() {
    return client.progress() + server.progress();
  }
}
