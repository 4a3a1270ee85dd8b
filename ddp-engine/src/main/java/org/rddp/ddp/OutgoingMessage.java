package org.rddp.ddp;

/** A posted message and how much of it has been sent. Reused. */
final class OutgoingMessage {
  private boolean tagged;
  private long id;
  private int rsvdUlp;
  private int rsvdUlpRest;
  private int target;
  private long to;
  private int msn;
  private long address;
  private long length;
  private long sent;

  void tagged(long id, int rsvdUlp, int stag, long to, long address, long length) {
    this.tagged = true;
    this.id = id;
    this.rsvdUlp = rsvdUlp;
    this.target = stag;
    this.to = to;
    this.address = address;
    this.length = length;
    sent = 0;
  }

  void untagged(long id, int rsvdUlp, int rsvdUlpRest, int qn, int msn, long address, long length) {
    this.tagged = false;
    this.id = id;
    this.rsvdUlp = rsvdUlp;
    this.rsvdUlpRest = rsvdUlpRest;
    this.target = qn;
    this.msn = msn;
    this.address = address;
    this.length = length;
    sent = 0;
  }

  long id() {
    return id;
  }

  int rsvdUlp() {
    return rsvdUlp;
  }

  long length() {
    return length;
  }

  int headerLength() {
    return tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
  }

  /** Octets of payload in the next segment, if segments hold {@code mulpdu} octets. */
  int nextPayload(int mulpdu) {
    return (int) Math.min(length - sent, mulpdu - headerLength());
  }

  /** Address of the next segment's payload. */
  long nextAddress() {
    return address + sent;
  }

  /** Writes the next segment's header, with {@code payload} octets behind it. */
  void writeHeader(long at, int version, int payload) {
    boolean last = sent + payload == length;
    if (tagged) {
      DdpHeader.writeTagged(at, version, last, rsvdUlp, target, to + sent);
    } else {
      DdpHeader.writeUntagged(at, version, last, rsvdUlp, rsvdUlpRest, target, msn, (int) sent);
    }
  }

  /** Takes note that the next segment has been sent; returns whether it was the last. */
  boolean sent(int payload) {
    sent += payload;
    return sent == length;
  }
}
