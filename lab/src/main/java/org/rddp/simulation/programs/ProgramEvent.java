package org.rddp.simulation.programs;

import java.util.EnumSet;
import java.util.Set;

/** Events counted in simulations of programs. Each event must happen in 1000 runs. */
enum ProgramEvent {
  SENDS("sends"),
  WRITES("writes"),
  WRITES_IMMEDIATE("writes with immediate data"),
  IMMEDIATE("immediate data"),
  SENDS_WITH_IMMEDIATE("sends with immediate data"),
  ACKNOWLEDGED("messages placed when they were acknowledged"),
  READS("reads"),
  ATOMICS("atomics"),
  INVALIDATING("sends that invalidate"),
  BINDS("binds"),
  BINDS_REFUSED("binds that failed in their turn"),
  INVALIDATES("posted invalidations"),
  UNTAGGED("untagged sends"),
  TAGGED("tagged sends"),
  INLINE("inline requests"),
  SCATTERED("requests in several pieces"),
  SCATTERED_RECEIVES("receives in several pieces"),
  FENCED("fenced requests"),
  SOLICITED("requests that solicit an event"),
  UNSIGNALLED("unsignalled requests"),
  EARLY("requests posted before the stream was up"),
  NONSENSE("requests that the daemon has to refuse"),
  REFUSED("requests refused where they were posted"),
  REFUSED_THERE("requests that the peer refused"),
  RECEIVED("messages received"),
  SHARED("messages received from a shared queue"),
  QUEUED("messages received by a queue of plain DDP"),
  NOTICES("notices of tagged messages"),
  WITHOUT_RECEIVE("messages that may be held"),
  LIMITS("limits of shared queues reached"),
  FLUSHED("requests flushed"),
  WOKEN("programs woken by a signal"),
  FULL("posts that found a ring full"),
  DEREGISTERED("regions deregistered"),
  STILL_BOUND("deregistrations refused for a window"),
  WINDOWS_FREED("windows freed"),
  INVALIDATED("invalidations by the peer"),
  RACES("STags taken away while they were used"),
  RACES_MET("STags taken away that met a segment on its way"),
  TERMINATES("Terminates understood"),
  CORRUPTIONS("streams ended by corruption"),
  FAULTS("wrong messages of plain DDP found out"),
  STREAM_ERRORS("errors left to a program that speaks plain DDP"),
  LAST_WORDS("last messages behind such an error"),
  CLOSED("connections closed in order"),
  CLOSED_RUDELY("halves closed before their time"),
  ABORTED("connections aborted"),
  REJECTED("connections declined"),
  NEGOTIATED("ends told of negotiated depths"),
  PEER_TO_PEER("ends told of an RTR"),
  WITHOUT_RTR("connections declined for want of an RTR"),
  FAILED("connections that did not come up"),
  DIED("sessions ended before their time"),
  LOST("connections lost");

  private static final Set<ProgramEvent> OF_PLAIN_DDP =
      EnumSet.of(UNTAGGED, TAGGED, QUEUED, NOTICES, FAULTS, STREAM_ERRORS, LAST_WORDS);

  private final String words;

  ProgramEvent(String words) {
    this.words = words;
  }

  /** The name of the count. */
  String words() {
    return words;
  }

  /** Whether only programs that speak plain DDP see it. */
  boolean isOfPlainDdp() {
    return OF_PLAIN_DDP.contains(this);
  }
}
