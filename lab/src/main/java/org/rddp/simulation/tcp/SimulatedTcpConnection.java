package org.rddp.simulation.tcp;

import java.util.SplittableRandom;
import org.rddp.simulation.CorruptedOctets;
import org.rddp.simulation.OctetPattern;
import org.rddp.simulation.SequenceSpaces.Direction;
import org.rddp.simulation.SimulatedConnection;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.Violations;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;

/** One connection with the program that opens it and the one that accepts it. */
final class SimulatedTcpConnection implements SimulatedConnection {
  private final Violations violations;
  private final TcpProgram client;
  private final TcpProgram server;
  private int port;

  SimulatedTcpConnection(Violations violations, SplittableRandom random, long there, long back) {
    this.violations = violations;
    OctetPattern first = new OctetPattern(random.nextLong());
    OctetPattern second = new OctetPattern(random.nextLong());
    TcpTraffic up = TcpTraffic.draw(random, there, back);
    TcpTraffic down = TcpTraffic.draw(random, back, there);
    client = new TcpProgram(violations, random.split(), up, first, second);
    server = new TcpProgram(violations, random.split(), down, second, first);
  }

  /** Connects from one host to a port of another. */
  void open(SimulatedHost from, SimulatedHost to, int listening, CorruptedOctets corrupted) {
    opened(from.stack().connect(to.connectAddress(), listening, client), from, to, corrupted);
  }

  private void opened(
      TcpConnection connection, SimulatedHost from, SimulatedHost to, CorruptedOctets corrupted) {
    client.uses(connection);
    client.settings(from.settings());
    server.settings(to.settings());
    port = connection.localPort();
    Direction there =
        new Direction(
            from.address().bits(), to.address().bits(), (port << 16) | connection.remotePort());
    server.corrupted(position -> corrupted.contains(there, position));
    client.corrupted(position -> corrupted.contains(there.reverse(), position));
    from.scheduleTurn();
  }

  /** Opens the connection from both hosts at once, from and to the same port. */
  void meet(SimulatedHost from, SimulatedHost to, int both, CorruptedOctets corrupted) {
    TcpConnection first = from.stack().connect(to.connectAddress(), both, both, client);
    server.uses(to.stack().connect(from.connectAddress(), both, both, server));
    opened(first, from, to, corrupted);
    to.scheduleTurn();
  }

  /** Whether an end has seen a simultaneous open. */
  boolean met() {
    return client.met() || server.met();
  }

  @Override
  public int port() {
    return port;
  }

  TcpProgram client() {
    return client;
  }

  TcpProgram server() {
    return server;
  }

  @Override
  public boolean done() {
    return client.done() && server.done();
  }

  @Override
  public boolean isAlone() {
    return client.done() != server.done();
  }

  @Override
  public void abort() {
    if (lost()) {
      (client.done() ? server : client).abort();
    }
  }

  /** Whether one of the ends has ended other than by closing. */
  private boolean lost() {
    return client.lost() || server.lost();
  }

  @Override
  public long progress() {
    return client.progress() + server.progress();
  }

  /** Checks what must hold when both ends have ended. */
  void judge() {
    judge("client", client, server);
    judge("server", server, client);
  }

  private void judge(String name, TcpProgram end, TcpProgram other) {
    if (end.dead()) {
      return;
    }
    if (!lost() && end.closed() != CloseReason.NORMAL) {
      violations.add("the " + name + "'s connection ended as " + end.closed());
    }
    if (end.received() > other.toSend()) {
      violations.add("the " + name + " received more than was sent");
    }
    boolean whole = end.peerClosed() && end.received() == other.toSend();
    if (end.closed() == CloseReason.NORMAL && !whole) {
      violations.add(
          "the " + name + " received " + end.received() + " octets of " + other.toSend());
    }
  }

  /** A connection, perhaps an end of this one, goes on as another one. */
  void goesOn(TcpConnection former, TcpConnection next) {
    client.goesOn(former, next);
    server.goesOn(former, next);
  }
}
