package org.rddp.ddp;

import java.util.List;
import org.rddp.mpa.MpaSettings;

/**
 * How large a stream is.
 *
 * @param mpa for the MPA connection beneath
 * @param sendDepth messages that may wait to be sent, 1 to 2^24
 * @param responseDepth responses that may wait besides, 1 to 2^24
 * @param queues the queues of Queue Number 0, 1 and so on; the peer has as many
 */
public record DdpSettings(
    MpaSettings mpa, int sendDepth, int responseDepth, List<QueueSettings> queues) {
  /** Takes a copy of the list. */
  public DdpSettings {
    queues = List.copyOf(queues);
  }
}
