package org.rddp.daemon.replacement;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;

/**
 * The end of a daemon that takes the place of another. It begins only with {@link Message.Kind#GO};
 * without it the other one goes on, or was killed, and this one gives up.
 */
public final class Successor {
  private final Path control;
  private final Arriving state;

  /** Null before it has connected. */
  private volatile ReplacementChannel connected;

  /**
   * Creates an end, which does nothing yet.
   *
   * @param control path of the control socket of the daemon that runs
   */
  public Successor(Path control, Arriving state) {
    this.control = control;
    this.state = state;
  }

  /**
   * Takes the place of the daemon that runs; {@link Arriving#settle} has been called afterwards.
   *
   * @throws ReplacementException if it does not come to that; {@link Arriving#discard} has been
   *     called
   */
  public void takeOver() throws ReplacementException {
    run(false);
    state.settle();
  }

  /**
   * Tries everything but the last step: the daemon that runs goes on, and {@link Arriving#discard}
   * has been called.
   *
   * @throws ReplacementException if {@link #takeOver} would fail
   */
  public void check() throws ReplacementException {
    run(true);
    state.discard();
  }

  /**
   * Makes {@link #takeOver} and {@link #check} fail, and the other daemon go on, unless {@link
   * Message.Kind#GO} has come. Any thread; does nothing before {@link Arriving#prepare}.
   */
  public void stop() {
    ReplacementChannel channel = connected;
    if (channel != null) {
      channel.stopReceiving();
    }
  }

  private void run(boolean trial) throws ReplacementException {
    try (ReplacementChannel channel =
        ReplacementChannel.connect(ReplacementSocket.pathFor(control))) {
      connected = channel;
      try {
        adopt(channel, trial);
      } catch (IOException | RuntimeException e) {
        state.release();
        channel.refuse(String.valueOf(e.getMessage()));
        // Then the other daemon is ready for the next one.
        channel.awaitEnd(Predecessor.ANSWER);
        throw e;
      }
      channel.receiveOrRefuse(trial ? Message.Kind.CHECKED : Message.Kind.GO, Predecessor.ANSWER);
      if (!trial) {
        state.begin();
      }
      channel.awaitEnd(Predecessor.ANSWER);
    } catch (SnapshotException e) {
      state.discard();
      throw new ReplacementException(e.getMessage(), e);
    } catch (EOFException e) {
      state.discard();
      throw new ReplacementException("the daemon that runs has ended", e);
    } catch (IOException e) {
      state.discard();
      throw e instanceof ReplacementException why
          ? why
          : new ReplacementException(e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      state.discard();
      throw e;
    }
  }

  private void adopt(ReplacementChannel channel, boolean trial) throws IOException {
    channel.send(
        new Message(
            Message.Kind.ASK, Snapshot.FORMAT, trial ? 1 : 0, state.interfaces(), List.of()),
        Predecessor.ANSWER);
    channel.receive(Message.Kind.GRANTED, Predecessor.ANSWER);
    state.prepare();
    channel.send(Message.of(Message.Kind.NEXT), Predecessor.ANSWER);
    state.map(channel.receive(Message.Kind.DESCRIPTORS, 2 * Predecessor.ANSWER).descriptors());
    channel.send(Message.of(Message.Kind.PREPARED), Predecessor.ANSWER);
    state.take(channel.receive(Message.Kind.STOPPED, 2 * Predecessor.ANSWER).text());
    Message written = channel.receive(Message.Kind.STATE, Predecessor.ANSWER);
    byte[] octets = SnapshotMemory.read(written.descriptors().getFirst(), written.first());
    try {
      SnapshotReader snapshot = new SnapshotReader(octets);
      state.adopt(snapshot, descriptors(channel, written.second()));
      snapshot.finish();
    } finally {
      Arrays.fill(octets, (byte) 0);
    }
    if (trial) {
      state.release();
    }
    channel.send(Message.of(Message.Kind.ADOPTED), Predecessor.ANSWER);
  }

  private static List<Descriptor> descriptors(ReplacementChannel channel, long count)
      throws IOException {
    List<Descriptor> received = new ArrayList<>();
    try {
      while (received.size() < count) {
        if (!received.isEmpty()) {
          channel.send(Message.of(Message.Kind.NEXT), Predecessor.ANSWER);
        }
        received.addAll(
            channel.receive(Message.Kind.DESCRIPTORS, Predecessor.ANSWER).descriptors());
      }
      return received;
    } catch (IOException e) {
      received.forEach(Descriptor::close);
      throw e;
    }
  }
}
