package org.rddp.ddp;

import org.rddp.wire.Memory;

/** A posted message and how much of it has been sent. Reused. */
final class OutgoingMessage {
  /** Octets that a message carries in itself rather than in memory of the user. */
  static final int INLINE = 64;

  private final byte[] inline = new byte[INLINE];
  private boolean tagged;
  private long id;
  private int rsvdUlp;
  private int rsvdUlpRest;
  private int target;
  private long to;
  private int msn;
  private long address;
  private boolean inMemory;
  private TaggedBuffer source;
  private long length;
  private long sent;

  void tagged(long id, int rsvdUlp, int stag, long to, long address, long length) {
    tagged = true;
    inMemory = true;
    source = null;
    this.id = id;
    this.rsvdUlp = rsvdUlp;
    this.target = stag;
    this.to = to;
    this.address = address;
    this.length = length;
    sent = 0;
  }

  void untagged(long id, int rsvdUlp, int rsvdUlpRest, int qn, int msn, long address, long length) {
    tagged = false;
    inMemory = true;
    source = null;
    this.id = id;
    this.rsvdUlp = rsvdUlp;
    this.rsvdUlpRest = rsvdUlpRest;
    this.target = qn;
    this.msn = msn;
    this.address = address;
    this.length = length;
    sent = 0;
  }

  /** A message that carries its octets in itself; copies them. */
  void inline(long id, int rsvdUlp, int rsvdUlpRest, int qn, int msn, byte[] octets, int length) {
    untagged(id, rsvdUlp, rsvdUlpRest, qn, msn, 0, length);
    inMemory = false;
    System.arraycopy(octets, 0, inline, 0, length);
  }

  /** A message from a Tagged Buffer of ours; null if it has no octets. */
  void response(int rsvdUlp, int stag, long to, TaggedBuffer source, long sourceTo, long length) {
    tagged(0, rsvdUlp, stag, to, source == null ? 0 : source.addressOf(sourceTo), length);
    this.source = source;
  }

  /** The Tagged Buffer that it comes from, or null. */
  TaggedBuffer source() {
    return source;
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

  /** Whether its octets are to be read from memory, or follow the header in the same place. */
  boolean inMemory() {
    return inMemory;
  }

  /** Writes the octets that it carries in itself. */
  void writeInline(long at) {
    Memory.copy(inline, 0, at, (int) length);
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
