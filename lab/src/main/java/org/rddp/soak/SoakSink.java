package org.rddp.soak;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.demo.GuardedSink;
import org.rddp.demo.TransferPattern;
import org.rddp.rig.AdvertisedBuffer;

/** A program of the soak that lets others write into its memory, and checks every octet. */
public final class SoakSink {
  /** Octets of a connection's private data: number and length of the transfer. */
  static final int REQUEST = 2 * Long.BYTES;

  /** What a source sends when all is written. */
  static final long WRITTEN = 1;

  /** What a sink answers when every octet is right. */
  static final long VERIFIED = 2;

  private static final Duration LOOK = Duration.ofMillis(200);

  private final Rddp session;
  private final int port;
  private final Consumer<String> out;

  /**
   * A sink that does not listen yet.
   *
   * @param out takes a line for the ledger
   */
  public SoakSink(Rddp session, int port, Consumer<String> out) {
    this.session = session;
    this.port = port;
    this.out = out;
  }

  /** Serves one source after the other until it is told to stop. */
  public void serve(BooleanSupplier stop) {
    try (Listener listener = session.listen(port)) {
      out.accept(SoakProgram.BEGUN);
      while (!stop.getAsBoolean()) {
        IncomingConnection incoming = listener.await(LOOK);
        if (incoming != null) {
          serve(incoming);
        }
      }
    }
  }

  private void serve(IncomingConnection incoming) {
    if (incoming.privateData().length() != REQUEST) {
      incoming.reject(PrivateData.NONE);
      return;
    }
    ByteBuffer request = ByteBuffer.wrap(incoming.privateData().toByteArray());
    long number = request.getLong();
    long octets = request.getLong();
    try (GuardedSink sink = new GuardedSink(session, octets, Access.REMOTE_READ);
        SoakExchange exchange = new SoakExchange(session, incoming.connection(), 1)) {
      incoming.accept(AdvertisedBuffer.of(sink.region()).toPrivateData());
      if (exchange.await(0) == WRITTEN) {
        verify(sink, exchange, number, octets);
      }
      exchange.until(() -> !exchange.connection().isOpen() || exchange.connection().isPeerClosed());
    } catch (RddpException | IllegalStateException e) {
      SoakProgram.rethrowIfLost(e);
      out.accept(Ledger.note("sink", e));
    }
  }

  private void verify(GuardedSink sink, SoakExchange exchange, long number, long octets) {
    String problem = sink.verify(new TransferPattern(number));
    if (problem == null) {
      out.accept(Ledger.verified(number, octets));
      exchange.send(VERIFIED);
    } else {
      out.accept(Ledger.wrong(number, problem));
    }
  }
}
