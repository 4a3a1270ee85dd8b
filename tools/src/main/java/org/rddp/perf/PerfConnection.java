package org.rddp.perf;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ConnectionRejectedException;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.StartupOptions;
import org.rddp.rig.AdvertisedBuffer;

/**
 * One connection to the server for messages of one size: posts operations and counts their
 * completions and answers. For one thread; posts and counts neither block nor allocate.
 */
final class PerfConnection implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration END = Duration.ofSeconds(2);

  private final PerfSettings settings;
  private final int index;
  private final int size;
  private final MemoryRegion local;
  private final MemoryRegion exposed;
  private final MarkedSlots slots;
  private final boolean inline;
  private final int signalEvery;
  private final Connection connection;
  private final AdvertisedBuffer target;

  /** When each operation under way began, or was due. */
  private final long[] began;

  private long posted;
  private long recorded;
  private long arrived;
  private long received;
  private long completed;
  private int receivesToPost;
  private long granted;
  private long flushes;
  private boolean flushing;
  private long flushAnswer;

  /**
   * Connects.
   *
   * @param index of this connection in the run: the id of its work requests
   * @param memory of this connection
   */
  PerfConnection(
      Rddp session,
      RemoteHost server,
      PerfSettings settings,
      int index,
      int size,
      PerfMemory memory) {
    this.settings = settings;
    this.index = index;
    this.size = size;
    local = memory.local();
    exposed = memory.exposed();
    memory.clear();
    slots = new MarkedSlots(size, settings.outstanding());
    inline =
        size <= settings.inlineOctets()
            && (settings.verb() == Verb.WRITE || settings.verb() == Verb.SEND);
    signalEvery = settings.signalEvery(size);
    began = new long[settings.outstanding()];
    receivesToPost = settings.receives();
    connection = connect(session, server);
    target = PerfReply.read(connection.privateData()).buffer();
    postReceives();
  }

  /** MPA revision 2 lets both ends agree on the number of Reads outstanding. */
  private Connection connect(Rddp session, RemoteHost server) {
    PerfRequest request =
        new PerfRequest(
            settings.service(),
            settings.verb(),
            size,
            settings.outstanding(),
            settings.waiting() == Waiting.EVENTS,
            AdvertisedBuffer.of(exposed));
    try {
      return server.connect(
          session,
          request.toPrivateData(),
          TIMEOUT,
          ConnectionOptions.DEFAULTS.withStartup(StartupOptions.DEFAULTS.withRevision(2)));
    } catch (ConnectionRejectedException e) {
      String reason = new String(e.privateData().toByteArray(), StandardCharsets.UTF_8);
      throw new PerfException("the server rejects the measurement: " + reason);
    }
  }

  /** The server's address. */
  InetSocketAddress remote() {
    return connection.remoteAddress();
  }

  /** Reads and atomics of this program that may be outstanding at a time. */
  int ord() {
    return connection.startup().ord();
  }

  /** Whether one more operation may be under way. */
  boolean hasRoom() {
    return settings.test() == PerfSettings.Test.LAT
        ? posted - recorded < settings.outstanding()
        : connection.sendsOutstanding() < settings.outstanding();
  }

  /**
   * Posts the next operation, if the queues have room.
   *
   * @param start when it begins, by {@link System#nanoTime}
   * @return whether it was posted
   */
  boolean post(long start) {
    int flags = (posted + 1) % signalEvery == 0 ? SendFlags.SIGNALLED : 0;
    boolean done =
        switch (settings.verb()) {
          case WRITE -> write(flags);
          case READ ->
              connection.postRead(index, local, 0, size, target.stag(), target.to(), flags);
          case SEND -> send(flags);
          case ATOMIC ->
              connection
                  .atomics()
                  .postFetchAdd(index, local, 0, target.stag(), target.to(), 1, flags);
        };
    if (done) {
      began[(int) (posted % began.length)] = start;
      posted++;
      if (settings.bidirectional()) {
        grant(Math.max(1, settings.outstanding() / 2));
      }
    }
    return done;
  }

  private boolean write(int flags) {
    long at = 0;
    if (settings.service() == Service.WRITE_BACK) {
      at = slots.at(posted);
      slots.mark(local.segment(), posted);
    }
    long to = target.to() + at;
    return inline
        ? connection.postInlineWrite(index, local.segment(), at, size, target.stag(), to, flags)
        : connection.postWrite(index, local, at, size, target.stag(), to, flags);
  }

  private boolean send(int flags) {
    return inline
        ? connection.postInlineSend(index, local.segment(), 0, size, flags)
        : connection.postSend(index, local, 0, size, flags);
  }

  /**
   * Lets the server post as many operations as were posted here, if at least {@code least} are new.
   */
  private void grant(int least) {
    long most =
        settings.verb() == Verb.SEND ? Math.min(posted, received + settings.outstanding()) : posted;
    long more = most - granted;
    if (more >= least
        && connection.postImmediate(index, LoadMessage.grant(more), SendFlags.SIGNALLED)) {
      granted = most;
    }
  }

  /**
   * Completes a measurement of throughput. Call it, with polls between, until it returns true: then
   * everything posted at either end has been placed.
   */
  boolean flushed() {
    if (settings.bidirectional() && granted < posted) {
      grant(1);
      return false;
    }
    if (!flushing) {
      flushing =
          connection.postImmediate(
              index, LoadMessage.flush(flushes), SendFlags.SIGNALLED | SendFlags.FENCED);
      return false;
    }
    if (flushAnswer != LoadMessage.flush(flushes)) {
      return false;
    }
    flushing = false;
    flushes++;
    return true;
  }

  void onCompletion(Completion completion) {
    if (!completion.isSuccess()) {
      throw failure(completion);
    }
    if (completion.opcode() != Opcode.RECEIVE) {
      completed += completion.retired();
      return;
    }
    if (completion.hasImmediate()) {
      flushAnswer = completion.immediate();
    } else {
      received++;
    }
    receivesToPost++;
    postReceives();
  }

  private void postReceives() {
    long octets = Math.max(size, Long.BYTES);
    while (receivesToPost > 0 && connection.postReceive(index, exposed, 0, octets)) {
      receivesToPost--;
    }
  }

  private PerfException failure(Completion completion) {
    if (!connection.awaitClosed(END)) {
      return new PerfException("a work request failed: " + completion);
    }
    return ended();
  }

  private PerfException ended() {
    if (connection.closeReason() == Reason.LOCAL_CLOSE) {
      return new PerfException(
          "the daemon of this host has closed the connection to the server, as it does when it"
              + " stops");
    }
    return new PerfException(
        "the connection to the server has ended: %s (%s)"
            .formatted(connection.closeText(), connection.closeReason()));
  }

  /** Throws if the connection has ended. */
  void check() {
    postReceives();
    if (connection.closeReason() != null) {
      throw ended();
    }
  }

  /** Operations whose answers have arrived. */
  private long answered() {
    return switch (settings.service()) {
      case WRITE_BACK -> {
        while (arrived < posted && slots.hasArrived(exposed.segment(), arrived)) {
          arrived++;
        }
        yield arrived;
      }
      case SEND_BACK -> received;
      case LOAD -> completed;
    };
  }

  /**
   * Records the operations that have been answered since the last call.
   *
   * @param into gets the times; null: nowhere
   * @return how many
   */
  int record(LatencyRecorder into) {
    long answered = answered();
    if (answered == recorded) {
      return 0;
    }
    int count = (int) (answered - recorded);
    long now = System.nanoTime();
    while (recorded < answered) {
      if (into != null) {
        into.record(now - began[(int) (recorded % began.length)]);
      }
      recorded++;
    }
    return count;
  }

  /** Operations that TCP has taken, or that have been answered: never more than posted. */
  long done() {
    return Math.max(0, posted - connection.sendsOutstanding());
  }

  @Override
  public void close() {
    connection.close();
  }
}
