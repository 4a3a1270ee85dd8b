package org.rddp.ddp.receiving;

import org.rddp.counters.Published;

/**
 * Counters of what the streams of one engine have received. Written by the engine's thread only.
 */
public final class ReceiveCounters {
  @Published(name = "ddp_placed_segments", help = "DDP Segments placed.")
  public long segmentsPlaced;

  @Published(name = "ddp_placed_bytes", help = "Octets of payload placed into programs' memory.")
  public long octetsPlaced;

  @Published(
      name = "ddp_placed_early_segments",
      help = "DDP Segments placed behind a gap in the stream of TCP.")
  public long segmentsPlacedEarly;

  @Published(
      name = "ddp_held_segments",
      help = "DDP Segments held because no receive was posted for them.")
  public long segmentsHeld;

  @Published(name = "ddp_tagged_messages", help = "Tagged Messages delivered.")
  public long taggedMessagesDelivered;

  @Published(name = "ddp_untagged_messages", help = "Untagged Messages delivered.")
  public long untaggedMessagesDelivered;

  @Published(name = "ddp_refused_segments", help = "DDP Segments refused because of an error.")
  public long segmentsRefused;

  /** Segments dropped silently because they came after a refused one. */
  public long segmentsDropped;
}
