package org.rddp.daemon.engine;

import org.rddp.client.types.Reason;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;

/**
 * A peer's connection to the sockets-port, from TCP's handshake until it is a stream of the
 * listener that it asks for. One for which there is no room gets no answer but a reset; the peer
 * tries again. Engine thread only.
 */
public final class IncomingStream extends StartupWatch implements StartupHandler, PendingStartup {
  private final Engine engine;
  private final StreamKeeper keeper;
  private final StreamPorts ports;
  private final TcpConnection tcp;
  private MpaStartup startup;

  /** Null before the Request has come. */
  private StreamGreeting greeting;

  /** Where it waits; null before. */
  private StreamListener listener;

  private boolean over;

  IncomingStream(Engine engine, StreamKeeper keeper, StreamPorts ports, TcpConnection tcp) {
    this.engine = engine;
    this.keeper = keeper;
    this.ports = ports;
    this.tcp = tcp;
  }

  /** Waits for the Request. */
  MpaStartup begin() {
    startup = MpaStartup.responder(engine.rdmapSettings().mpa(), this, this);
    return startup;
  }

  /** The engine that has it. */
  public Engine engine() {
    return engine;
  }

  /** Its addresses, with the ports of the programs. */
  public ConnectionEnds ends() {
    int clientPort = greeting.clientPort() == 0 ? tcp.remotePort() : greeting.clientPort();
    return new ConnectionEnds(tcp.localAddress(), greeting.port(), tcp.remoteAddress(), clientPort);
  }

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    engine.endStartup(tcp.remoteAddress(), this);
    greeting = StreamGreeting.decode(privateData);
    if (greeting == null) {
      engine.counters().streamsRefused++;
      if (StreamGreeting.isOurs(privateData)) {
        reject(StreamGreeting.OTHER_VERSION);
      } else {
        tcp.abort();
      }
      return;
    }
    StreamListener found = ports.find(greeting.port(), tcp.localAddress());
    StreamSection section = found == null ? null : found.section(engine);
    if (section == null) {
      reject(StreamGreeting.NOBODY);
    } else if (!found.enter()) {
      engine.counters().streamsRefused++;
      tcp.abort();
    } else {
      listener = found;
      keeper.prepare(this, found);
    }
  }

  private void reject(int why) {
    startup.reject(StreamGreeting.rejection(why));
    startup.closeSend();
  }

  /**
   * There are memory and sockets for it.
   *
   * @return the stream; null if it has ended, or ends since its socket cannot be watched: then the
   *     parts are the caller's
   */
  public OctetStream prepared(StreamParts parts) {
    if (over) {
      return null;
    }
    OctetStream stream;
    try {
      stream =
          OctetStream.incoming(engine, keeper, parts, listener, ends(), tcp, greeting.window());
    } catch (IllegalStateException e) {
      refused(Reason.RESOURCES);
      return null;
    }
    listener = null;
    startup.assign(stream.mpa(), stream, stream.ddp());
    startup.accept(StreamGreeting.reply(parts.memory().receiving().octets()));
    return stream;
  }

  /** There are none. */
  public void refused(Reason why) {
    if (!over) {
      engine.counters().streamsRefused++;
      leave();
      tcp.abort();
    }
  }

  /** Its connection. */
  TcpConnection tcp() {
    return tcp;
  }

  /**
   * Transfers it. When read, memory and sockets are asked for again that have been asked for and
   * not come.
   */
  void transfer(Snapshot snapshot, References<StreamListener> listeners) {
    snapshot.begin(IncomingStream.class);
    greeting = snapshot.record("greeting", StreamGreeting.class, greeting);
    listener = listeners.transfer(snapshot, "listener", listener);
    startup = MpaTransfer.startup(snapshot, startup, tcp, this, this, this);
    snapshot.end();
    if (snapshot.reads() && listener != null) {
      listener.waitAgain();
      keeper.prepare(this, listener);
    }
  }

  /** Another one goes on: does nothing more. */
  void retire() {
    over = true;
  }

  private void leave() {
    if (listener != null) {
      listener.leave();
      listener = null;
    }
  }

  @Override
  public void abortSilently() {
    engine.endStartup(tcp.remoteAddress(), this);
    tcp.abort();
  }

  @Override
  public void onError(MpaError error, String detail) {
    engine.counters().startupErrors++;
  }

  @Override
  public void onClosed(CloseReason reason) {
    over = true;
    engine.endStartup(tcp.remoteAddress(), this);
    leave();
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    throw new IllegalStateException("nobody has accepted the Request");
  }

  @Override
  public void onRejected(byte[] privateData) {
    throw new IllegalStateException("a Responder is not rejected");
  }
}
