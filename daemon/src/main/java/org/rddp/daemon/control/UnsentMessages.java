package org.rddp.daemon.control;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.rddp.ipc.control.ControlProtocolException;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.MessageOctets;
import org.rddp.snapshot.Snapshot;

/**
 * Messages that wait because their program does not read. Nothing reports that it reads again, so
 * sending is retried after pauses that double. All times are of {@link System#nanoTime}.
 *
 * <p>A peer can add at most one request for each place in the backlog: if a connection fails before
 * its request is sent, the request is removed, and the failure is not reported.
 */
final class UnsentMessages {
  /** Shortest and longest pause in ns between two tries. */
  static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  /** Time in ns within which a program must read a waiting reply to its request. */
  static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(30);

  /** In the order of sending; requests of peers by the number of their connection. */
  private final Map<Object, DaemonMessage> messages = new LinkedHashMap<>();

  private int replies;

  /** When the first reply was added, or the last message was sent. */
  private long waitingSince;

  private long lastTry;
  private long pause;

  boolean isEmpty() {
    return messages.isEmpty();
  }

  int size() {
    return messages.size();
  }

  /** Adds a message; the first one has just been tried. */
  void add(DaemonMessage message, long now) {
    if (messages.isEmpty()) {
      restart(now);
    }
    if (isReply(message)) {
      waitingSince = replies == 0 ? now : waitingSince;
      replies++;
    }
    messages.put(key(message), message);
  }

  private static Object key(DaemonMessage message) {
    return message instanceof DaemonMessage.ConnectionRequested requested
        ? (Object) requested.connection()
        : new Object();
  }

  private static boolean isReply(DaemonMessage message) {
    return message.request() != 0;
  }

  /**
   * Removes the request of a failed connection.
   *
   * @param message any message
   * @return the waiting request whose failure the message reports; null if there is none
   */
  DaemonMessage.ConnectionRequested withdraw(DaemonMessage message) {
    return message instanceof DaemonMessage.Failed failed
        ? (DaemonMessage.ConnectionRequested) messages.remove(failed.connection())
        : null;
  }

  private void restart(long now) {
    waitingSince = now;
    lastTry = now;
    pause = FIRST_PAUSE;
  }

  /** Time in ns until the next try; -1 if no message waits. */
  long untilNextTry(long now) {
    return messages.isEmpty() ? -1 : Math.max(0, lastTry + pause - now);
  }

  /**
   * Sends messages in order, if the next try is due.
   *
   * @param send sends a message; false if the program does not read
   */
  void send(long now, Predicate<DaemonMessage> send) {
    if (untilNextTry(now) != 0) {
      return;
    }
    lastTry = now;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    Iterator<DaemonMessage> each = messages.values().iterator();
    while (each.hasNext()) {
      DaemonMessage message = each.next();
      if (!send.test(message)) {
        return;
      }
      each.remove();
      replies -= isReply(message) ? 1 : 0;
      restart(now);
    }
  }

  /**
   * Whether a reply waits and the program has read nothing for too long. Events alone may wait:
   * peers cause them, and the program may be stopped.
   */
  boolean waitsTooLong(long now) {
    return replies > 0 && now - waitingSince > LONGEST_WAIT;
  }

  /** Whether a message that waits hands over a descriptor. */
  boolean haveDescriptors() {
    return messages.values().stream().anyMatch(MessageOctets::lacksDescriptors);
  }

  /**
   * Transfers the messages, none of which hands over a descriptor; when read, none waits before,
   * and their time begins anew.
   *
   * @param read gets each message that is read
   */
  void transfer(Snapshot snapshot, long now, Consumer<DaemonMessage> read) {
    snapshot.begin(UnsentMessages.class);
    Iterator<DaemonMessage> written = List.copyOf(messages.values()).iterator();
    while (snapshot.flag("messages", written.hasNext())) {
      byte[] octets =
          snapshot.octets("octets", snapshot.reads() ? null : MessageOctets.of(written.next()));
      if (snapshot.reads()) {
        try {
          DaemonMessage message = MessageOctets.read(octets);
          add(message, now);
          read.accept(message);
        } catch (ControlProtocolException e) {
          throw snapshot.wrong(e.getMessage());
        }
      }
    }
    snapshot.end();
  }

  /** Drops all messages, each of which is passed on. */
  void drop(Consumer<DaemonMessage> dropped) {
    messages.values().forEach(dropped);
    messages.clear();
    replies = 0;
  }
}
