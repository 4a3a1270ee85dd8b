package org.rddp.rdmap;

import org.rddp.mpa.MpaSettings;

/**
 * How large an RDMAP stream is.
 *
 * @param mpa for the MPA connection beneath
 * @param sendDepth sends and writes that may be outstanding, 1 to 2^24
 * @param receiveDepth receives that may be outstanding, 1 to 2^24
 */
public record RdmapSettings(MpaSettings mpa, int sendDepth, int receiveDepth) {
  /** MPA's defaults; 128 requests each way. */
  public static final RdmapSettings DEFAULTS = new RdmapSettings(MpaSettings.DEFAULTS, 128, 128);
}
