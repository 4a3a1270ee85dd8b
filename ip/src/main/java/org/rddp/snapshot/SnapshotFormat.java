package org.rddp.snapshot;

/** Numbers of the format: docs/handover.md. */
final class SnapshotFormat {
  /** "rddpsnap" in ASCII. */
  static final long MAGIC = 0x7264_6470_736e_6170L;

  /** Octets of the header: magic, format, length of the body, CRC32c of the body. */
  static final int HEADER = 20;

  // The kinds of items.

  static final int BEGIN = 1;
  static final int END = 2;
  static final int NUMBER = 3;
  static final int TEXT = 4;
  static final int OCTETS = 5;

  private SnapshotFormat() {}
}
