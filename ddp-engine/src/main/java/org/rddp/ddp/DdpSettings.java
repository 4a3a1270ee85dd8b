package org.rddp.ddp;

import java.util.List;
import org.rddp.mpa.MpaSettings;

/**
 * How large a stream is.
 *
 * @param mpa for the MPA connection beneath
 * @param sendDepth messages that may wait to be sent, 1 to 2^24
 * @param receiveDepths of each Queue Number from 0 on, how many Untagged Buffers may wait, 1 to
 *     2^24; there are as many queues, in either direction
 */
public record DdpSettings(MpaSettings mpa, int sendDepth, List<Integer> receiveDepths) {
  /** Takes a copy of the list. */
  public DdpSettings {
    receiveDepths = List.copyOf(receiveDepths);
  }
}
