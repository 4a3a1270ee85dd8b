package org.rddp.daemon.engine;

import java.util.concurrent.atomic.LongAdder;
import org.rddp.counters.Published;

/** Counts since an engine started. Written by its thread; other threads may read old values. */
public final class EngineCounters {
  @Published(name = "engine_turns", help = "Turns of the duty cycle.")
  public long turns;

  @Published(name = "engine_idle_turns", help = "Turns of the duty cycle that found nothing to do.")
  public long idleTurns;

  @Published(
      name = "engine_sleeps",
      help =
          "Times that the engine's thread has slept until something woke it, or a timer was due.")
  public long sleeps;

  @Published(
      name = "engine_wakes",
      help = "Sleeps of the engine's thread that a frame, a program or a command has ended.")
  public long wakes;

  @Published(name = "requests", help = "Work requests taken from programs.")
  public long requests;

  @Published(name = "completions", help = "Completions reported to programs.")
  public long completions;

  @Published(name = "connections_opened", help = "Connections that reached Full Operation.")
  public long connectionsOpened;

  @Published(
      name = "connections_closed",
      help = "Connections that reached Full Operation and have ended.")
  public long connectionsClosed;

  @Published(
      name = "startup_errors",
      help = "Peers refused because of an error in the startup of MPA.")
  public long startupErrors;

  @Published(
      name = "startups_pending",
      help = "Peers that have connected and whose MPA Request has not come.",
      gauge = true)
  public long startupsPending;

  @Published(
      name = "startups_evicted",
      help = "Peers reset before their MPA Request had come, to make room for others.")
  public long startupsEvicted;

  @Published(
      name = "startups_refused",
      help =
          "Peers refused because a backlog or a session was full, or because they offered no RTR.")
  public long startupsRefused;

  @Published(name = "startups_retried", help = "Connections tried again with MPA revision 1.")
  public long startupsRetried;

  @Published(
      name = "introductions_refused",
      help =
          "Queue pairs of peers refused: nobody has the number or expects them, or there was no room.")
  public long introductionsRefused;

  @Published(
      name = "introductions_kept",
      help = "Queue pairs of peers kept because their number did not expect a peer yet.")
  public long introductionsKept;

  @Published(
      name = "introductions_expired",
      help = "Queue pairs of peers that were kept until the time for that was over.")
  public long introductionsExpired;

  @Published(
      name = "startups_withdrawn",
      help = "Requests that ended before their program, which did not read, was told of them.")
  private final LongAdder startupsWithdrawn = new LongAdder();

  @Published(
      name = "octet_streams_opened",
      help = "Octet streams (connections of rddp sockets) that were established.")
  public long streamsOpened;

  @Published(
      name = "octet_streams_closed",
      help = "Octet streams that were established and have ended.")
  public long streamsClosed;

  @Published(
      name = "octet_streams_refused",
      help =
          "Octet streams of peers refused: too many waited for the listener, or there was no room.")
  public long streamsRefused;

  @Published(
      name = "octet_streams_reset",
      help =
          "Octet streams that this end has reset: a peer or program broke the rules, or octets were unread.")
  public long streamsReset;

  @Published(
      name = "octet_streams_bridged",
      help = "Octet streams that pass through a socket, for a process without their memory.")
  public long streamsBridged;

  @Published(
      name = "engine_startup_first_message_awaited",
      help = "Accepted connections whose requests waited a second for the peer's first message.",
      gauge = true)
  public long firstMessagesAwaited;

  @Published(
      name = "stream_errors",
      help = "Connections that ended with an error of MPA, DDP or RDMAP in Full Operation.")
  public long streamErrors;

  @Published(
      name = "engine_faults",
      help = "Internal errors, each of which ended one connection or session.")
  public long faults;

  @Published(
      name = "engine_restarts",
      help =
          "Times that the engine has begun anew because its turns failed; its sessions have ended.")
  public long restarts;

  /** Counts a peer's request that ended before its program was told. Any thread may call this. */
  public void countWithdrawn() {
    startupsWithdrawn.increment();
  }

  /** Peers whose request ended before their program, which did not read, was told. */
  public long startupsWithdrawn() {
    return startupsWithdrawn.sum();
  }
}
