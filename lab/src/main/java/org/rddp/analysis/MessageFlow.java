package org.rddp.analysis;

import java.util.ArrayDeque;
import java.util.Deque;
import org.HdrHistogram.Histogram;
import org.rddp.simulation.Network;
import org.rddp.simulation.SimulatedHost;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.StreamHandlerAdapter;

/** Messages, or octets without end, over one connection, and how long each message took. */
final class MessageFlow {
  /** A message that has not arrived. */
  private record Message(long end, long began) {}

  private final Network network;
  private final SimulatedHost sender;
  private final Source source = new Source();
  private final Deque<Message> waiting = new ArrayDeque<>();
  private final Histogram times;
  private long posted;
  private long sent;
  private long received;

  /**
   * Opens the connection.
   *
   * @param port at which the receiver listens for this flow alone
   * @param times of this flow's messages, from when they are posted to when all of one is there
   */
  MessageFlow(
      Network network, SimulatedHost sender, SimulatedHost sink, int port, Histogram times) {
    this.network = network;
    this.sender = sender;
    this.times = times;
    sink.stack().listen(port, (stream, address, from) -> new Sink(stream));
    sender.inTurn(source::send);
    sender.stack().connect(sink.address(), port, source);
    sender.scheduleTurn();
  }

  /** Posts a message, behind those before. */
  void post(int octets) {
    posted += octets;
    waiting.add(new Message(posted, network.now()));
    sender.scheduleTurn();
  }

  /** Sends without end. */
  void stream() {
    posted = Long.MAX_VALUE;
    sender.scheduleTurn();
  }

  /** Octets received in order. */
  long received() {
    return received;
  }

  /** The sending end. */
  private final class Source extends StreamHandlerAdapter {
    private TcpStream stream;

    @Override
    public void onOpen(TcpStream opened) {
      stream = opened;
      send();
    }

    @Override
    public void onSendable() {
      send();
    }

    /** Sends what has been posted, in a turn of the host; returns the number of segments. */
    private int send() {
      int count = 0;
      while (stream != null && sent < posted && stream.sendable()) {
        long packet = stream.allocate();
        if (packet == 0) {
          break;
        }
        int length = (int) Math.min(stream.emss(), posted - sent);
        stream.pool().window(packet, stream.pool().address(packet), length);
        stream.send(packet);
        sent += length;
        count++;
      }
      return count;
    }
  }

  /** The receiving end. */
  private final class Sink extends StreamHandlerAdapter {
    private final TcpStream stream;

    private Sink(TcpStream stream) {
      this.stream = stream;
    }

    @Override
    public void onSegment(long position, long address, int length, long packet) {
      stream.consumed(length);
      arrived();
    }

    @Override
    public void onLeftEdge(long position) {
      arrived();
    }

    private void arrived() {
      received = stream.receivePosition();
      while (!waiting.isEmpty() && waiting.peek().end() <= received) {
        times.recordValue(network.now() - waiting.remove().began());
      }
    }
  }
}
