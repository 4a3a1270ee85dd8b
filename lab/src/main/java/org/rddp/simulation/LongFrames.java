package org.rddp.simulation;

import org.rddp.device.FrameDevice;

/**
 * What a card does with frames of several TCP segments.
 *
 * @param longest octets of the largest IP packet of such a frame: {@link
 *     FrameDevice#longestFrame()}; 0 if the card takes none
 * @param cuts whether it sends their segments each by itself, and computes the checksums (TSO);
 *     otherwise the other end of the link gets the frames whole
 * @param merges whether it makes such a frame of consecutive segments received (LRO)
 */
public record LongFrames(int longest, boolean cuts, boolean merges) {
  /** A card without long frames. */
  public static final LongFrames NONE = new LongFrames(0, false, false);
}
