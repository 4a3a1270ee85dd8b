package org.rddp.mpa;

/**
 * What the administrator of this side wants of an MPA connection.
 *
 * @param crc whether CRCs are wanted; they are in use when either side wants them. Only an explicit
 *     order of the administrator, who knows that the whole path protects the data as well, may turn
 *     this off (RFC 5044 section 4.4)
 * @param markers whether the peer is asked to put Markers into what it sends to us; whether we send
 *     any is for the peer to say
 * @param startupTimeoutNanos how long to wait for the peer's startup frame, greater than 0
 */
public record MpaSettings(boolean crc, boolean markers, long startupTimeoutNanos) {
  /** CRCs, no Markers, ten seconds. */
  public static final MpaSettings DEFAULTS = new MpaSettings(true, false, 10_000_000_000L);

  /** Checks the ranges. */
  public MpaSettings {
    if (startupTimeoutNanos <= 0) {
      throw new IllegalArgumentException(
          "startupTimeoutNanos must be greater than 0: " + startupTimeoutNanos);
    }
  }

  /** The same with or without CRCs. */
  public MpaSettings withCrc(boolean wanted) {
    return new MpaSettings(wanted, markers, startupTimeoutNanos);
  }

  /** The same with or without Markers in what the peer sends. */
  public MpaSettings withMarkers(boolean wanted) {
    return new MpaSettings(crc, wanted, startupTimeoutNanos);
  }

  /** The same with another limit on waiting for the peer's startup frame. */
  public MpaSettings withStartupTimeoutNanos(long nanos) {
    return new MpaSettings(crc, markers, nanos);
  }
}
