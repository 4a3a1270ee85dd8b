package org.rddp.ddp;

import org.rddp.mpa.Ulpdu;

/**
 * What the header of a received segment says, and how much payload follows it (RFC 5041 section 4).
 * Reused.
 */
final class SegmentHeader {
  private long position;
  private int control;
  private int rsvdUlp;
  private int octets;

  /** STag or Queue Number. */
  private int target;

  /** Tagged only. */
  private long to;

  /** These three: untagged only. */
  private int rsvdUlpRest;

  private int msn;
  private int mo;

  /** Reads the header of a segment that is long enough to hold it. */
  void read(Ulpdu segment) {
    position = segment.position();
    control = DdpHeader.control(segment);
    rsvdUlp = DdpHeader.rsvdUlp(segment);
    octets = segment.length() - length();
    if (tagged()) {
      target = DdpHeader.stag(segment);
      to = DdpHeader.to(segment);
    } else {
      target = DdpHeader.qn(segment);
      rsvdUlpRest = DdpHeader.rsvdUlpRest(segment);
      msn = DdpHeader.msn(segment);
      mo = DdpHeader.mo(segment);
    }
  }

  /** Makes this a copy of another. */
  void set(SegmentHeader other) {
    position = other.position;
    control = other.control;
    rsvdUlp = other.rsvdUlp;
    octets = other.octets;
    target = other.target;
    to = other.to;
    rsvdUlpRest = other.rsvdUlpRest;
    msn = other.msn;
    mo = other.mo;
  }

  /** Makes this the header of an untagged segment, with {@code octets} of payload behind it. */
  void setUntagged(int control, int rsvdUlp, int rsvdUlpRest, int qn, int msn, int mo, int octets) {
    this.control = control;
    this.rsvdUlp = rsvdUlp;
    this.rsvdUlpRest = rsvdUlpRest;
    target = qn;
    this.msn = msn;
    this.mo = mo;
    this.octets = octets;
  }

  /** Writes the header as it came; {@code at} has room for {@link #length()} octets. */
  void write(long at) {
    int version = DdpHeader.version(control);
    if (tagged()) {
      DdpHeader.writeTagged(at, version, last(), rsvdUlp, target, to);
    } else {
      DdpHeader.writeUntagged(at, version, last(), rsvdUlp, rsvdUlpRest, target, msn, mo);
    }
    DdpHeader.writeControl(at, control);
  }

  /** Where in the stream the segment's FPDU begins. */
  long position() {
    return position;
  }

  /** The DDP Control Field as it came. */
  int control() {
    return control;
  }

  boolean tagged() {
    return DdpHeader.tagged(control);
  }

  boolean last() {
    return DdpHeader.last(control);
  }

  /** Octets of the header. */
  int length() {
    return tagged() ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
  }

  /** Octets of payload, 0 or more. */
  int octets() {
    return octets;
  }

  int rsvdUlp() {
    return rsvdUlp;
  }

  int rsvdUlpRest() {
    return rsvdUlpRest;
  }

  int stag() {
    return target;
  }

  long to() {
    return to;
  }

  int qn() {
    return target;
  }

  int msn() {
    return msn;
  }

  int mo() {
    return mo;
  }
}
