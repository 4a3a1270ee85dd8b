package org.rddp.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.rddp.client.RefusedException;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.streams.StreamWaiter;

/**
 * What tells a selector of its streams: a waiter for each session that they are of, which is one
 * unless a daemon has ended. For the selecting thread.
 */
final class SelectorWaiters {
  /** A waiter, and the channel by which the JDK's selector watches its socket. */
  private record Watched(StreamWaiter waiter, StreamSession session, DatagramChannel channel) {}

  private final List<Watched> all = new ArrayList<>();
  private StreamSession refusing;

  /**
   * Lets this selector be told of a stream.
   *
   * @param kernel that the selector sleeps in
   * @param token for {@link #take}
   * @return false if it is not, since another one is, or the daemon has no waiter for it
   */
  boolean tell(ProgramStream stream, int token, Selector kernel) {
    StreamWaiter waiter = waiter(stream.session(), kernel);
    return waiter != null && stream.tell(waiter, token % StreamWaiter.BITS);
  }

  private StreamWaiter waiter(StreamSession session, Selector kernel) {
    for (Watched each : all) {
      if (each.session == session) {
        return each.waiter;
      }
    }
    if (session == refusing) {
      return null;
    }
    try {
      StreamWaiter made = session.openWaiter();
      try {
        DatagramChannel channel = JdkDescriptor.over(made.descriptor());
        channel.register(kernel, SelectionKey.OP_READ, made);
        all.add(new Watched(made, session, channel));
        return made;
      } catch (IOException e) {
        made.close();
        throw e;
      }
    } catch (IOException | RefusedException e) {
      refusing = session;
      return null;
    }
  }

  /** Whether streams have something new. */
  boolean areRung() {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).waiter.isRung()) {
        return true;
      }
    }
    return false;
  }

  /** Takes the bits of streams that have something new: their tokens modulo the number of bits. */
  void take(IntConsumer taker) {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).waiter.take(taker);
    }
  }

  /** Asks to be woken. Returns false if streams have something new. */
  boolean beginSleep() {
    boolean quiet = true;
    for (int i = 0; i < all.size(); i++) {
      quiet &= all.get(i).waiter.beginSleep();
    }
    return quiet;
  }

  /** The thread is awake. */
  void endSleep() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).waiter.endSleep();
    }
  }

  /** The selecting thread polls: see {@link StreamSession#leaveEngines}. */
  void leaveEngines() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).session.leaveEngines();
    }
  }

  /** The JDK's selector has found this waiter's socket readable. */
  void onReadable(StreamWaiter waiter) {
    if (!waiter.clear()) {
      // The daemon has ended, which its streams' own sockets say, too.
      for (Watched each : List.copyOf(all)) {
        if (each.waiter == waiter) {
          all.remove(each);
          close(each);
        }
      }
    }
  }

  private static void close(Watched each) {
    each.waiter.close();
    try {
      each.channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends all, which no stream names any more. */
  void close() {
    for (Watched each : all) {
      close(each);
    }
    all.clear();
  }
}
