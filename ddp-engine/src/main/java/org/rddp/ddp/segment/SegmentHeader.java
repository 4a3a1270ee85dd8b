package org.rddp.ddp.segment;

import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;

/**
 * The decoded header of a received segment, and the length of its payload (RFC 5041 section 4).
 * Reused.
 */
public final class SegmentHeader {
  private long position;
  private int control;
  private int rsvdUlp;
  private int octets;

  /** STag or Queue Number. */
  private int target;

  /** Tagged only. */
  private long to;

  /** This and the next two fields: untagged only. */
  private int rsvdUlpRest;

  private int msn;
  private int mo;

  /** Reads the header of a segment that is long enough to hold it. */
  public void read(Ulpdu segment) {
    position = segment.position();
    control = DdpHeader.control(segment);
    rsvdUlp = DdpHeader.rsvdUlp(segment);
    octets = segment.length() - length();
    if (tagged()) { // DDP-4.1-02
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
  public void set(SegmentHeader other) {
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

  /** Makes this the header of an untagged segment with {@code octets} octets of payload. */
  public void setUntagged(
      int control, int rsvdUlp, int rsvdUlpRest, int qn, int msn, int mo, int octets) {
    this.control = control;
    this.rsvdUlp = rsvdUlp;
    this.rsvdUlpRest = rsvdUlpRest;
    target = qn;
    this.msn = msn;
    this.mo = mo;
    this.octets = octets;
  }

  /** Writes the header as received; {@code at} has room for {@link #length()} octets. */
  void write(long at) {
    int version = DdpHeader.version(control);
    if (tagged()) {
      DdpHeader.writeTagged(at, version, last(), rsvdUlp, target, to);
    } else {
      DdpHeader.writeUntagged(at, version, last(), rsvdUlp, rsvdUlpRest, target, msn, mo);
    }
    DdpHeader.writeControl(at, control);
  }

  /** Stream position of the first octet of the segment's FPDU. */
  public long position() {
    return position;
  }

  /** The DDP Control Field as received. */
  public int control() {
    return control;
  }

  public boolean tagged() {
    return DdpHeader.tagged(control);
  }

  public boolean last() {
    return DdpHeader.last(control);
  }

  /** Octets of the header. */
  int length() {
    return tagged() ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
  }

  /** Octets of payload, 0 or more. */
  public int octets() {
    return octets;
  }

  public int rsvdUlp() {
    return rsvdUlp;
  }

  public int rsvdUlpRest() {
    return rsvdUlpRest;
  }

  public int stag() {
    return target;
  }

  public long to() {
    return to;
  }

  public int qn() {
    return target;
  }

  public int msn() {
    return msn;
  }

  public int mo() {
    return mo;
  }

  /** Transfers a header. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(SegmentHeader.class);
    position = snapshot.number("position", position);
    control = snapshot.number("control", control);
    rsvdUlp = snapshot.number("rsvdUlp", rsvdUlp);
    octets = snapshot.number("octets", octets);
    target = snapshot.number("target", target);
    to = snapshot.number("to", to);
    rsvdUlpRest = snapshot.number("rsvdUlpRest", rsvdUlpRest);
    msn = snapshot.number("msn", msn);
    mo = snapshot.number("mo", mo);
    snapshot.end();
  }
}
