package org.rddp.ddp.memory;

import org.rddp.snapshot.Snapshot;

/**
 * A range of memory that an STag names, with its access rights (RFC 5041 section 8.3). Once removed
 * from {@link TaggedBuffers} it cannot be looked up and is not {@link #valid()}. A {@link
 * DdpMemoryWindow} reuses its buffers under new STags.
 */
public final class TaggedBuffer {
  private int stag;
  private final ProtectionDomain domain;
  private DomainMember stream;
  private long address;
  private long length;
  private long baseTo;
  private int rights;

  /** The region that this is a window onto, or null. */
  private TaggedBuffer region;

  private boolean ended;
  private long opened;

  TaggedBuffer(
      int stag,
      ProtectionDomain domain,
      DomainMember stream,
      long address,
      long length,
      long baseTo,
      int rights,
      TaggedBuffer region) {
    this.stag = stag;
    this.domain = domain;
    this.stream = stream;
    this.address = address;
    this.length = length;
    this.baseTo = baseTo;
    this.rights = rights;
    this.region = region;
  }

  /** Creates a buffer without STag and without memory. */
  TaggedBuffer(ProtectionDomain domain) {
    this.domain = domain;
    ended = true;
  }

  /** Creates a buffer of no domain that nobody may use. */
  public static TaggedBuffer ended() {
    return new TaggedBuffer(null);
  }

  /** Assigns the STag; it names no memory yet. */
  void reserve(int name) {
    stag = name;
  }

  /** Makes this a window onto a part of a region. */
  void open(
      TaggedBuffer region, DomainMember stream, long to, long length, long baseTo, int rights) {
    this.region = region;
    this.stream = stream;
    this.address = region.addressOf(to);
    this.length = length;
    this.baseTo = baseTo;
    this.rights = rights;
    ended = false;
    opened++;
  }

  /** Whether this buffer may be used: neither it nor its region has been invalidated. */
  public boolean valid() {
    return !ended && (region == null || !region.ended);
  }

  /**
   * How often this has become a window. Holders of a reference compare it, since a window may have
   * been bound to other memory under the same STag.
   */
  public long opened() {
    return opened;
  }

  /** Marks this buffer invalid, after it was removed from the table. */
  void end() {
    // DDP-8.3-02; DDP-8.3.1-04, RDMAP-8.1.1-06: "can no longer modify an Advertised Buffer after
    // the ULP revokes"
    ended = true;
    stream = null; // So that a window does not keep a closed stream or a freed region reachable.
    region = null;
  }

  /** The region that this is a window onto; null if this is a region. */
  TaggedBuffer region() {
    return region;
  }

  /** Whether this belongs to a protection domain. */
  @SuppressWarnings("ReferenceEquality") // domains are compared by identity
  public boolean isIn(ProtectionDomain other) {
    return domain == other;
  }

  /** The protection domain whose streams may use this buffer. */
  ProtectionDomain domain() {
    return domain;
  }

  /** The STag, as sent on the wire. */
  public int stag() {
    return stag;
  }

  /** The only stream that may use this buffer, or null. */
  DomainMember stream() {
    return stream;
  }

  /**
   * Whether {@code user} may name this buffer: it is in the buffer's domain, and the buffer is not
   * for another stream only.
   */
  @SuppressWarnings("ReferenceEquality") // domains and streams are compared by identity
  public boolean associatedWith(DomainMember user) {
    // DDP-8.2-01; RDMAP-8.1.1-01: "a specific Stream in a specific Protection Domain cannot access
    // an STag in a different Protection Domain"; DDP-8.2-02; RDMAP-8.1.1-02: "if an STag is limited
    // in scope to a single Stream, no other Stream can use the STag"; DDP-8.2-04: "MUST support
    // Protection Domain association and DDP Stream association"
    return user.protectionDomain() == domain && (stream == null || stream == user);
  }

  /**
   * Whether the peer of {@code user} may invalidate this buffer: no other stream may use it (RFC
   * 5040 section 8.1.1 item 7), and the peer has a right to it. Any right of the peer includes this
   * (section 5.3). A buffer without rights of a peer, such as the sink of RDMA Reads, stays valid
   * until this end invalidates it (section 1.2).
   */
  @SuppressWarnings("ReferenceEquality") // domains and streams are compared by identity
  public boolean mayBeInvalidatedBy(DomainMember user) {
    // RDMAP-5.3-03; RDMAP-8.1.1-07: "not able to invalidate an STag enabled for remote access, if
    // the STag is shared on multiple streams"
    return stream == user
        && user.protectionDomain() == domain
        && (rights & AccessRights.REMOTE) != 0;
  }

  /** Whether all rights in {@code wanted} are granted. */
  public boolean permits(int wanted) {
    // DDP-8.3.1-03, RDMAP-8.1.1-05: "establish and revoke read, write, or read and write access"
    return (rights & wanted) == wanted;
  }

  /**
   * Whether the {@code octets} octets from {@code to} on are in the range.
   *
   * @param to Tagged Offset, unsigned
   * @param octets greater than 0
   */
  public boolean contains(long to, long octets) {
    long offset = to - baseTo;
    // DDP-7.1-13: "The TO falls in the range of legal offsets"; DDP-7.1-14: "The sum of the DDP
    // Segment payload length and the TO falls in the range"; DDP-8.3.1-01, RDMAP-8.1.1-03: "a
    // Remote Peer is not able to access memory outside"
    return Long.compareUnsigned(offset, length) < 0 && octets <= length - offset;
  }

  /** The Tagged Offset of the first octet, unsigned. */
  public long baseTo() {
    return baseTo;
  }

  /** Address of the octet at {@code to}, which must be in the range. */
  public long addressOf(long to) {
    return address + (to - baseTo);
  }

  /**
   * Whether {@code octets} octets from {@code to} on exceed 2^64-1. A range whose last octet is at
   * 2^64-1 counts as exceeding it.
   *
   * @param octets greater than 0
   */
  public static boolean wraps(long to, long octets) {
    // DDP-7.1-15: "A 64-bit unsigned sum of the DDP Segment payload length and the TO does not
    // wrap"
    return Long.compareUnsigned(to + octets, to) <= 0;
  }

  /**
   * Transfers a buffer, but for its region.
   *
   * @param written the buffer; null if it is read
   */
  static TaggedBuffer transfer(Snapshot snapshot, DdpReferences references, TaggedBuffer written) {
    snapshot.begin(TaggedBuffer.class);
    ProtectionDomain domain =
        references.domain(snapshot, "domain", written == null ? null : written.domain);
    TaggedBuffer buffer = written == null ? new TaggedBuffer(domain) : written;
    buffer.transferFields(snapshot, references);
    snapshot.end();
    return buffer;
  }

  private void transferFields(Snapshot snapshot, DdpReferences references) {
    stag = snapshot.number("stag", stag);
    opened = snapshot.number("opened", opened);
    ended = snapshot.flag("ended", ended);
    if (ended) {
      return;
    }
    stream = references.stream(snapshot, "stream", stream);
    baseTo = snapshot.number("baseTo", baseTo);
    rights = snapshot.number("rights", rights);
    length = snapshot.number("length", length);
    address = references.memories().transfer(snapshot, "address", valid() ? address : 0, length);
  }

  /** Transfers the region that this is a window onto. */
  void transferRegion(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(TaggedBuffer.class);
    region = references.buffer(snapshot, "region", region);
    snapshot.end();
  }
}
