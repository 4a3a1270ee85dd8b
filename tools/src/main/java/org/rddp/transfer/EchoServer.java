package org.rddp.transfer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RefusedException;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.AddressText;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SessionLimits;
import org.rddp.perf.PerfRequest;
import org.rddp.rig.WaitStrategy;

/**
 * Sends every message back, and advertises to each peer a buffer of its own to write, for tests of
 * any peer. The buffer's STag, Tagged Offset and length are the 20 octets of private data in the
 * MPA Reply. A peer whose private data is a {@link org.rddp.perf.PerfRequest} measures, and is
 * served as it asks.
 *
 * <p>A peer may send ahead and read late: then TCP's window stops it. What it sent before it closed
 * its sending direction is answered before the connection ends. As many peers are served as the
 * session has regions and requests for; the others are rejected, with the reason as private data.
 */
public final class EchoServer {
  /** Octets of the buffer that a peer may write. */
  public static final int BUFFER = 64 << 10;

  /** The default of {@link #EchoServer(Rddp, int, long, Consumer)}. */
  public static final long MEASURING_MEMORY = 256 << 20;

  private static final int REGIONS = 2;
  private static final int MOST_SLOTS = 32;

  /** A peer that measures has the slots of this many others, if there is room. */
  private static final int MEASURING_SHARE = 4;

  /** Polls of the session between two polls for new and ended connections. */
  private static final int POLLS = 2_000;

  /** Polls before a yield where there are few cores. */
  private static final int POLLS_BEFORE_YIELD = 250;

  /** How long the server polls without sleeping while measuring peers are idle, in ns. */
  private static final long POLLING_NANOS = 100_000_000;

  private static final Duration PAUSE = Duration.ofMillis(100);

  /** Pause while it waits for something without an event: room in a queue, or a write. */
  private static final Duration SHORT_PAUSE = Duration.ofMillis(1);

  private final Rddp session;
  private final int longest;
  private final Consumer<String> log;
  private final Int2ObjectHashMap<Peer> peers = new Int2ObjectHashMap<>();
  private final List<WriteBackPeer> writeBacks = new ArrayList<>();
  private final List<Peer> closing = new ArrayList<>();
  private final CompletionHandler handler = this::onCompletion;

  /** Runs accepts: a peer with a slow startup must not delay the others. */
  private final ExecutorService accepting = Executors.newCachedThreadPool(EchoServer::thread);

  private final int mostPeers;
  private final int slots;
  private final int batch;
  private final MeasuringPeers measuring;

  /** Shares of {@link #mostPeers} that peers have taken. */
  private int taken;

  /** Whether a peer wants the server to poll without sleeping. */
  private boolean polling;

  private long lastAnswer = System.nanoTime();

  /** A server with {@link #MEASURING_MEMORY}. */
  public EchoServer(Rddp session, int longest, Consumer<String> log) {
    this(session, longest, MEASURING_MEMORY, log);
  }

  /**
   * A server.
   *
   * @param longest octets of the longest message
   * @param measuringMemory octets of memory for all peers together that measure; 0: such peers are
   *     rejected
   * @param log gets a line once it listens, and for each new, rejected and ended connection, from
   *     several threads
   */
  public EchoServer(Rddp session, int longest, long measuringMemory, Consumer<String> log) {
    this.session = session;
    this.longest = longest;
    this.log = log;
    SessionLimits limits = session.limits();
    batch = limits.completions();
    int most = Math.min(limits.connections(), limits.regions() / REGIONS);
    mostPeers = Math.max(1, Math.min(most, limits.completions()));
    // Every slot takes one request: no peer can use up the others'.
    int share = Math.min(limits.completions() / mostPeers, MOST_SLOTS);
    slots = Math.max(1, Math.min(share, Math.min(limits.sendQueue(), limits.receiveQueue())));
    measuring = new MeasuringPeers(session, measuringMemory);
  }

  /** Serves until the thread is interrupted. */
  public void serve(int port) {
    try (Listener listener = HeldMessages.listen(session, port)) {
      log.accept("echo at " + AddressText.of(listener.address()));
      while (!Thread.currentThread().isInterrupted()) {
        serve(listener);
      }
    } catch (RddpException e) {
      // An interrupt also ends a request that waits for the daemon's answer.
      if (!Thread.currentThread().isInterrupted()) {
        throw e;
      }
    } finally {
      accepting.shutdownNow();
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "echo-accept");
    thread.setDaemon(true);
    return thread;
  }

  private void serve(Listener listener) {
    for (Peer peer : peers.values()) {
      if (peer.connection().isPeerClosed()) {
        closing.add(peer);
      }
    }
    // After the check of closed peers, so that all their completions are seen.
    int answered = poll();
    closeAnswered();
    boolean waits = false;
    polling = false;
    for (Peer peer : peers.values()) {
      waits |= peer.post();
      polling |= peer.wantsPolling();
    }
    rest(answered, waits);
    for (IncomingConnection next = listener.poll(); next != null; next = listener.poll()) {
      begin(next);
    }
  }

  private void rest(int answered, boolean waits) {
    if (answered > 0) {
      lastAnswer = System.nanoTime();
    } else if (!polling || System.nanoTime() - lastAnswer > POLLING_NANOS) {
      session.await(waits ? SHORT_PAUSE : PAUSE);
    } else if (WaitStrategy.FEW_CORES) {
      session.yieldProcessor();
    }
  }

  /** Answers messages, for a bounded number of polls: a busy peer must not delay others. */
  private int poll() {
    int answered = 0;
    int polls = polling && WaitStrategy.FEW_CORES ? POLLS_BEFORE_YIELD : POLLS;
    for (int poll = 0; poll < polls; poll++) {
      answered += session.poll(handler, batch);
      for (int i = 0; i < writeBacks.size(); i++) {
        answered += writeBacks.get(i).answer();
      }
    }
    return answered;
  }

  private void onCompletion(Completion completion) {
    if (completion.connection().attachment() instanceof Peer peer) {
      peer.onCompletion(completion);
    }
  }

  private void begin(IncomingConnection incoming) {
    try {
      if (taken >= mostPeers) {
        reject(incoming, "the echo server has " + mostPeers + " peers, the most it serves");
        return;
      }
      Optional<PerfRequest> request = PerfRequest.read(incoming.privateData());
      Connection connection = incoming.connection();
      int share = request.isPresent() && taken + MEASURING_SHARE <= mostPeers ? MEASURING_SHARE : 1;
      Peer peer =
          request.isPresent()
              ? measuring.create(connection, request.get(), slots * share)
              : new EchoPeer(session, connection, slots, longest);
      peer.share(share);
      taken += share;
      peers.put(connection.id(), peer);
      connection.attach(peer);
      if (peer instanceof WriteBackPeer writeBack) {
        writeBacks.add(writeBack);
      }
      accepting.execute(() -> accept(incoming, peer.reply()));
    } catch (SessionLostException e) {
      throw e;
    } catch (RddpException | IllegalArgumentException e) {
      reject(incoming, e.getMessage());
    }
  }

  private void accept(IncomingConnection incoming, PrivateData advertisement) {
    try {
      incoming.accept(advertisement);
      log.accept("peer " + AddressText.of(incoming.remoteAddress()));
    } catch (RddpException | IllegalStateException e) {
      log.accept(
          "no connection with " + AddressText.of(incoming.remoteAddress()) + ": " + e.getMessage());
      abort(incoming.connection());
    }
  }

  private void abort(Connection connection) {
    try {
      connection.abort();
    } catch (RddpException | IllegalStateException e) {
      log.accept("cannot abort " + connection + ": " + e.getMessage());
    }
  }

  private void reject(IncomingConnection incoming, String reason) {
    log.accept("rejected " + AddressText.of(incoming.remoteAddress()) + ": " + reason);
    try {
      incoming.reject(PrivateData.of(reason.getBytes(StandardCharsets.UTF_8)));
    } catch (RefusedException e) {
      log.accept(
          "cannot reject " + AddressText.of(incoming.remoteAddress()) + ": " + e.getMessage());
      abort(incoming.connection());
    }
  }

  /** Ends the connections whose peers have closed, once they have their echoes. */
  private void closeAnswered() {
    for (Peer peer : closing) {
      Connection connection = peer.connection();
      if (connection.closeReason() != null) {
        log.accept("end of " + connection + ": " + connection.closeReason());
        peers.remove(connection.id());
        connection.attach(null);
        writeBacks.remove(peer);
        measuring.freed(peer);
        taken -= peer.share();
        peer.free();
      } else if (connection.isOpen() && peer.isAnswered() && peer.beginsClosing()) {
        disconnect(connection);
      }
    }
    closing.clear();
  }

  private void disconnect(Connection connection) {
    try {
      connection.disconnect();
    } catch (SessionLostException e) {
      throw e;
    } catch (RddpException e) {
      log.accept("cannot close " + connection + ": " + e.getMessage());
    }
  }
}
