package org.rddp.ddp.sending;

import org.rddp.counters.Published;

/** Counters of what the streams of one engine have sent. Written by the engine's thread only. */
public final class SendCounters {
  @Published(name = "ddp_sent_segments", help = "DDP Segments sent.")
  public long segments;

  @Published(name = "ddp_sent_bytes", help = "Octets of payload in DDP Segments sent.")
  public long octets;
}
