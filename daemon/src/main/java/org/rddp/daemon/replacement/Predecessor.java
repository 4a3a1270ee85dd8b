package org.rddp.daemon.replacement;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotWriter;

/**
 * The end of a daemon that is replaced. The engines run until the successor is ready, and again if
 * anything goes wrong before {@link Message.Kind#GO} has been sent. After that they never run: the
 * successor begins only with that message. So at no moment both have the port.
 */
final class Predecessor {
  /** Longest wait in ns for what needs no preparation. */
  static final long ANSWER = TimeUnit.SECONDS.toNanos(10);

  /** Longest time in ns that the successor may prepare; the engines run. */
  static final long PREPARATION = TimeUnit.MINUTES.toNanos(2);

  /** How it went. */
  enum Outcome {
    /** The successor has the place: {@link Departing#leave} is to follow. */
    LEFT,
    /** This daemon goes on, since it was a trial. */
    CHECKED
  }

  private final ReplacementChannel channel;
  private final Departing state;

  Predecessor(ReplacementChannel channel, Departing state) {
    this.channel = channel;
    this.state = state;
  }

  /**
   * Gives the place to the process at the other end.
   *
   * @throws IOException if this daemon goes on, with the reason; the other end has been told it, if
   *     it is there
   */
  Outcome run() throws IOException {
    try {
      Message asked = channel.receive(Message.Kind.ASK, ANSWER);
      if (asked.first() != Snapshot.FORMAT) {
        throw new ReplacementException(
            "the daemon that runs writes snapshots of format %d, and the new one reads format %d"
                .formatted(Snapshot.FORMAT, asked.first()));
      }
      boolean trial = asked.second() == 1;
      state.admit(channel.peer().pid(), asked.text());
      channel.send(Message.of(Message.Kind.GRANTED), ANSWER);
      state.rehearse();
      channel.receive(Message.Kind.NEXT, PREPARATION);
      sendMemories();
      channel.receive(Message.Kind.PREPARED, PREPARATION);
      String devices = state.stop();
      boolean left = false;
      try {
        channel.send(Message.of(Message.Kind.STOPPED, devices), ANSWER);
        handOver();
        if (!trial) {
          channel.send(Message.of(Message.Kind.GO), ANSWER);
          left = true;
        }
      } finally {
        if (!left) {
          state.resume();
        }
      }
      if (trial) {
        channel.send(Message.of(Message.Kind.CHECKED), ANSWER);
        return Outcome.CHECKED;
      }
      return Outcome.LEFT;
    } catch (IOException | RuntimeException | Error e) {
      channel.refuse(String.valueOf(e.getMessage()));
      throw e;
    }
  }

  private void sendMemories() throws IOException {
    List<Descriptor> memories = state.memories(ReplacementChannel.DESCRIPTORS);
    try {
      channel.send(new Message(Message.Kind.DESCRIPTORS, 0, 0, "", memories), ANSWER);
    } finally {
      memories.forEach(Descriptor::close);
    }
  }

  private void handOver() throws IOException {
    SnapshotWriter snapshot = new SnapshotWriter();
    List<Descriptor> descriptors;
    byte[] octets;
    try {
      descriptors = state.write(snapshot);
      octets = snapshot.finish();
    } catch (SnapshotException e) {
      throw ReplacementException.notNow(e.getMessage(), e);
    }
    long length = octets.length;
    try (Descriptor memory = SnapshotMemory.of(octets)) {
      channel.send(
          new Message(Message.Kind.STATE, length, descriptors.size(), "", List.of(memory)), ANSWER);
    }
    for (int at = 0; at < descriptors.size(); at += ReplacementChannel.DESCRIPTORS) {
      if (at > 0) {
        channel.receive(Message.Kind.NEXT, ANSWER);
      }
      int end = Math.min(descriptors.size(), at + ReplacementChannel.DESCRIPTORS);
      List<Descriptor> some = descriptors.subList(at, end);
      channel.send(new Message(Message.Kind.DESCRIPTORS, 0, 0, "", some), ANSWER);
    }
    channel.receive(Message.Kind.ADOPTED, ANSWER);
  }
}
