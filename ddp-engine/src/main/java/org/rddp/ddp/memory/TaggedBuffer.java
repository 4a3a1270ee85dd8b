package org.rddp.ddp.memory;

/**
 * A range of memory that an STag names, with what is allowed there (RFC 5041 section 8.3). Once it
 * is out of {@link TaggedBuffers} nothing leads to it any more, and whoever still holds it sees
 * that it is not {@link #valid()}. A {@link DdpMemoryWindow} uses its own again, under another
 * STag.
 */
public final class TaggedBuffer {
  private int stag;
  private final ProtectionDomain domain;
  private DomainMember stream;
  private long address;
  private long length;
  private long baseTo;
  private int rights;

  /** What it is a window onto, or null. */
  private TaggedBuffer region;

  private boolean ended;

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

  /** One without an STag that names nothing. */
  TaggedBuffer(ProtectionDomain domain) {
    this.domain = domain;
    ended = true;
  }

  /** Gives it an STag; it names nothing yet. */
  void reserve(int name) {
    stag = name;
  }

  /** Lets it name a part of a region. */
  void open(
      TaggedBuffer region, DomainMember stream, long to, long length, long baseTo, int rights) {
    this.region = region;
    this.stream = stream;
    this.address = region.addressOf(to);
    this.length = length;
    this.baseTo = baseTo;
    this.rights = rights;
    ended = false;
  }

  /** Whether it may be used: neither it nor the region that it is a window onto has ended. */
  public boolean valid() {
    return !ended && (region == null || !region.ended);
  }

  /** It is out of the table. */
  void end() {
    ended = true;
    stream = null; // nothing of one that is gone is kept for as long as a window
    region = null;
  }

  /** The region that it is a window onto; null if it is a region itself. */
  TaggedBuffer region() {
    return region;
  }

  /** The protection domain whose streams may use it. */
  ProtectionDomain domain() {
    return domain;
  }

  /** Its name on the wire. */
  public int stag() {
    return stag;
  }

  /** The only stream that may use it, or null. */
  DomainMember stream() {
    return stream;
  }

  /** Whether {@code user} may name this buffer: by its protection domain, and as the one stream. */
  @SuppressWarnings("ReferenceEquality") // domains and streams are compared by identity
  public boolean associatedWith(DomainMember user) {
    return user.protectionDomain() == domain && (stream == null || stream == user);
  }

  /** Whether all of {@code wanted} is allowed. */
  public boolean permits(int wanted) {
    return (rights & wanted) == wanted;
  }

  /**
   * Whether {@code octets} octets from {@code to} lie in the range.
   *
   * @param to Tagged Offset, unsigned
   * @param octets greater than 0
   */
  public boolean contains(long to, long octets) {
    long offset = to - baseTo;
    return Long.compareUnsigned(offset, length) < 0 && octets <= length - offset;
  }

  /** Address of the octet at {@code to}, which lies in the range. */
  public long addressOf(long to) {
    return address + (to - baseTo);
  }

  /**
   * Whether {@code octets} octets from {@code to} pass the end of the 64-bit numbers. A range that
   * ends exactly there counts as passing it.
   *
   * @param octets greater than 0
   */
  public static boolean wraps(long to, long octets) {
    return Long.compareUnsigned(to + octets, to) <= 0;
  }
}
