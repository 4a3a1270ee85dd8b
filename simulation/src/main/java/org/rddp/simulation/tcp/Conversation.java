package org.rddp.simulation.tcp;

import java.util.SplittableRandom;
import org.rddp.simulation.Forgeries;
import org.rddp.simulation.Host;
import org.rddp.simulation.LivingConnection;
import org.rddp.simulation.Pattern;
import org.rddp.simulation.SequenceSpaces.Direction;
import org.rddp.simulation.Verdict;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;

/** One connection: the program that opens it and the one that answers. */
final class Conversation implements LivingConnection {
  private final Verdict verdict;
  private final Program client;
  private final Program server;
  private int port;
  private long patienceEnds = Long.MAX_VALUE;

  Conversation(Verdict verdict, SplittableRandom random, long there, long back) {
    this.verdict = verdict;
    Pattern first = new Pattern(random.nextLong());
    Pattern second = new Pattern(random.nextLong());
    Traffic up = Traffic.draw(random, there, back);
    Traffic down = Traffic.draw(random, back, there);
    client = new Program(verdict, random.split(), up, first, second);
    server = new Program(verdict, random.split(), down, second, first);
  }

  /** Connects from one host to a port of another. */
  void open(Host from, Host to, int listening, Forgeries forgeries) {
    opened(from.stack().connect(to.address(), listening, client), from, to, forgeries);
  }

  private void opened(TcpConnection connection, Host from, Host to, Forgeries forgeries) {
    client.uses(connection);
    client.settings(from.settings());
    server.settings(to.settings());
    port = connection.localPort();
    Direction there =
        new Direction(
            from.address().bits(), to.address().bits(), (port << 16) | connection.remotePort());
    server.forgeries(position -> forgeries.forged(there, position));
    client.forgeries(position -> forgeries.forged(there.reverse(), position));
    from.poke();
  }

  /** Connects each of two hosts to the other at once, from and to the same port. */
  void meet(Host from, Host to, int both, Forgeries forgeries) {
    TcpConnection first = from.stack().connect(to.address(), both, both, client);
    server.uses(to.stack().connect(from.address(), both, both, server));
    opened(first, from, to, forgeries);
    to.poke();
  }

  /** Whether an end has learnt that both were opening. */
  boolean met() {
    return client.met() || server.met();
  }

  @Override
  public int port() {
    return port;
  }

  Program client() {
    return client;
  }

  Program server() {
    return server;
  }

  @Override
  public boolean done() {
    return client.done() && server.done();
  }

  @Override
  public void supervise(long now, long patience) {
    boolean alone = client.done() != server.done();
    if (!alone) {
      patienceEnds = Long.MAX_VALUE;
    } else if (patienceEnds == Long.MAX_VALUE) {
      patienceEnds = now + patience;
    } else if (now >= patienceEnds && lost()) {
      (client.done() ? server : client).abort();
    }
  }

  /** Whether one of the ends is gone otherwise than by closing. */
  private boolean lost() {
    return client.lost() || server.lost();
  }

  @Override
  public long progress() {
    return client.progress() + server.progress();
  }

  /** What must hold when both ends are done. */
  void judge() {
    judge("client", client, server);
    judge("server", server, client);
  }

  private void judge(String name, Program end, Program other) {
    if (end.dead()) {
      return;
    }
    if (!lost() && end.closed() != CloseReason.NORMAL) {
      verdict.violated("the " + name + "'s connection ended as " + end.closed());
    }
    if (end.received() > other.toSend()) {
      verdict.violated("the " + name + " received more than was sent");
    }
    boolean whole = end.peerClosed() && end.received() == other.toSend();
    if (end.closed() == CloseReason.NORMAL && !whole) {
      verdict.violated(
          "the " + name + " received " + end.received() + " octets of " + other.toSend());
    }
  }
}
