package org.rddp.simulation.rdma;

/** What is counted in lives of RDMAP, and has to happen in enough of them. */
enum RdmapEvent {
  SENDS("sends"),
  SOLICITED("sends that solicit an event"),
  IMMEDIATE("immediate data"),
  WRITES("writes"),
  WRITES_IMMEDIATE("writes with immediate data"),
  READS("reads"),
  ATOMICS("atomics"),
  FENCED("fenced requests"),
  EMPTY("requests without octets"),
  LARGE("requests of a MiB and more"),
  SCATTERED("requests in several pieces"),
  SCATTERED_RECEIVES("receives in several pieces"),
  POSTED_EARLY("requests posted before the stream was up"),
  RECEIVED("messages received"),
  RECEIVE_AT_LAST("receives posted at the last moment"),
  REGIONS("regions registered"),
  ALIASES("regions over one another"),
  WINDOWS("windows bound"),
  REVOCATIONS("revocations"),
  WINDOWS_REVOKED("windows revoked"),
  RACES("revocations with requests under way"),
  RACES_MET("revocations that met a segment on its way"),
  SINKS_REVOKED("revocations of a read's sink under way"),
  INVALIDATED("invalidations by the peer"),
  REFUSED_HERE("requests refused where they were posted"),
  FLUSHED("requests flushed"),
  TERMINATES("Terminates understood"),
  CLOSED_RUDELY("halves closed before their time"),
  ABORTED("aborted"),
  REJECTED("declined"),
  STARTUP_ERRORS("startups without a matching RTR"),
  CORRUPTIONS("streams ended by corruption"),
  LOST("streams lost");

  private final String words;

  RdmapEvent(String words) {
    this.words = words;
  }

  /** The name of the count. */
  String words() {
    return words;
  }
}
