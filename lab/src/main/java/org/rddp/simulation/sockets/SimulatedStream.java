package org.rddp.simulation.sockets;

import java.util.ArrayList;
import java.util.List;
import org.rddp.ipc.linux.Errno;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.OctetPattern;
import org.rddp.simulation.SimulatedConnection;

/** A stream of a run, with a program at each end. */
final class SimulatedStream implements SimulatedConnection {
  /** The port that the first client says. */
  private static final int FIRST_PORT = 2000;

  private final HostPair hosts;
  private final StreamHost from;
  private final StreamHost to;
  private final int number;
  private final StreamEnd.Plan serverPlan;
  private final long timeout;
  private final int passes;
  private final OctetPattern there;
  private final OctetPattern back;
  private final StreamEnd client;

  /** Those that programs have accepted: several if the first tries have come to nothing. */
  private final List<StreamEnd> servers = new ArrayList<>();

  private int passed;
  private boolean opened;
  private boolean refused;
  private boolean aborted;

  /**
   * Creates a stream that will be opened.
   *
   * @param timeout nanoseconds until it is given up
   * @param passes programs that end before they use it, before one does
   */
  SimulatedStream(
      StreamHost from,
      StreamHost to,
      int number,
      StreamEnd.Plan clientPlan,
      StreamEnd.Plan serverPlan,
      long timeout,
      int passes) {
    this.from = from;
    this.to = to;
    this.number = number;
    this.serverPlan = serverPlan;
    this.timeout = timeout;
    this.passes = passes;
    hosts = from.hosts();
    there = new OctetPattern(2L * number);
    back = new OctetPattern(2L * number + 1);
    client = new StreamEnd(from, "client " + number, clientPlan, there, back);
  }

  /** Begins to open it, unless its host is off. */
  void open() {
    opened = true;
    if (from.host().isOff()) {
      refused = true;
      client.giveUp();
      return;
    }
    from.keeper().connect(StreamHost.PORT, port(), timeout, this::opened);
  }

  private void opened(SimulatedKeeper.Holding holding) {
    if (holding == null) {
      refused = true;
      client.giveUp();
    } else if (!client.isOver()) {
      client.begin(holding);
    }
  }

  /** A program accepts it: this one, or another one after it. */
  void accepted(SimulatedKeeper.Holding holding) {
    if (passed < passes) {
      passed++;
      holding.take().close();
      to.host().scheduleTurn();
      return;
    }
    StreamEnd end = new StreamEnd(to, "server " + number, serverPlan, back, there);
    servers.add(end);
    end.begin(holding);
  }

  /** The ends at a host die. */
  void powerFailed(StreamHost host) {
    if (host == from) {
      client.die();
    } else {
      servers.forEach(StreamEnd::die);
    }
  }

  @Override
  public int port() {
    return FIRST_PORT + number;
  }

  /** The number of the stream whose client has a port. */
  static int number(int port) {
    return port - FIRST_PORT;
  }

  @Override
  public boolean done() {
    if (!opened || !client.isOver()) {
      return false;
    }
    for (int i = 0; i < servers.size(); i++) {
      if (!servers.get(i).isOver()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public long progress() {
    long sum = client.written() + client.read() + (client.isOver() ? 1 : 0);
    for (StreamEnd each : servers) {
      sum += each.written() + each.read() + (each.isOver() ? 1 : 0);
    }
    return sum;
  }

  @Override
  public boolean isAlone() {
    return !done() && (client.isLost() || servers.stream().anyMatch(StreamEnd::isLost));
  }

  @Override
  public void abort() {
    aborted = true;
    if (client.hasBegun() && !client.isOver()) {
      client.close();
    }
    servers.stream().filter(each -> !each.isOver()).forEach(StreamEnd::close);
  }

  /**
   * Checks what both ends have got.
   *
   * @param disturbed whether something has happened that may end any stream
   */
  void judge(boolean disturbed) {
    StreamEnd server = servers.isEmpty() ? null : servers.getLast();
    if (server != null) {
      client.judge(server);
      server.judge(client);
    }
    boolean excused =
        disturbed
            || refused
            || aborted
            || passed > 0
            || client.error() == Errno.ETIMEDOUT
            || client.disturbsPeer()
            || servers.size() > 1
            || (server != null && server.disturbsPeer());
    if (!excused && !isComplete()) {
      hosts
          .violations()
          .add(
              "stream %d has ended too early: %s; %s"
                  .formatted(number, client, server == null ? "no server" : server));
    }
  }

  /** Whether both ends have got everything. */
  boolean isComplete() {
    return !servers.isEmpty()
        && client.isComplete(servers.getLast())
        && servers.getLast().isComplete(client);
  }

  /** Whether an end has had a bridge. */
  boolean hasBridge() {
    return client.hasBridge() || servers.stream().anyMatch(StreamEnd::hasBridge);
  }

  /** Programs that have ended before they used it. */
  int passed() {
    return passed;
  }

  /** Octets that both ends have read. */
  long read() {
    return client.read() + servers.stream().mapToLong(StreamEnd::read).sum();
  }
}
