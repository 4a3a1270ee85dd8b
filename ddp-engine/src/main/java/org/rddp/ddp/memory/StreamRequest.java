package org.rddp.ddp.memory;

/**
 * A request to a stream: a message to send, a buffer for a message of the peer, or a change of the
 * peer's access to our memory. A post copies the fields that it needs, so the request can be reused
 * at once.
 *
 * <p>Call {@link #begin} first, then set the fields that the post names. Not thread-safe; allocates
 * nothing.
 */
public final class StreamRequest {
  private final AddressPieces message = new AddressPieces();
  private long token;
  private int flags;
  private long length;
  private int localStag;
  private long localTo;
  private int remoteStag;
  private long remoteTo;
  private long immediate;
  private long operand;
  private long mask;
  private long compare;
  private long compareMask;
  private DdpMemoryWindow window;
  private TaggedBuffer region;
  private int rights;
  private long baseTo;
  private int key;

  /** Creates an empty request. */
  public StreamRequest() {}

  /** Creates an empty request with a token. */
  public StreamRequest(long token) {
    begin(token);
  }

  /**
   * Resets this to a request without octets that names nothing at the peer.
   *
   * @param token comes back when the request has ended
   */
  public StreamRequest begin(long token) {
    this.token = token;
    flags = 0;
    message.clear();
    length = 0;
    return remote(0, 0);
  }

  /** Sets bits of {@code RdmapFlags}; none are set initially. */
  public StreamRequest flags(int bits) {
    flags = bits;
    return this;
  }

  /**
   * Appends a piece of memory that the message lies in or goes to. It must not be changed until the
   * request has ended.
   *
   * @param address of its first octet
   * @param octets 0 to 2^32-1
   * @throws IllegalStateException if there are {@link AddressPieces#MOST}
   */
  public StreamRequest memory(long address, long octets) {
    message.add(address, octets);
    length += octets;
    return this;
  }

  /** Sets the pieces of memory that the message lies in or goes to. */
  public StreamRequest memory(AddressPieces pieces) {
    message.set(pieces);
    length = pieces.length();
    return this;
  }

  /**
   * Sets the range of our memory that a read goes to, that a window is bound to, or whose STag is
   * invalidated.
   *
   * @param to Tagged Offset of the first octet
   * @param octets 0 or more
   */
  public StreamRequest local(int stag, long to, long octets) {
    localStag = stag;
    localTo = to;
    length = octets;
    return this;
  }

  /**
   * Sets STag and Tagged Offset of the first octet at the peer; for a Send, the STag that the peer
   * invalidates, or 0.
   */
  public StreamRequest remote(int stag, long to) {
    remoteStag = stag;
    remoteTo = to;
    return this;
  }

  /** Sets the immediate data (RFC 7306 section 6). */
  public StreamRequest immediate(long data) {
    immediate = data;
    return this;
  }

  /**
   * Sets the operands of an atomic (RFC 7306 section 5).
   *
   * @param operand the number that is added or swapped in
   * @param mask addition: the highest bit of each field, out of which nothing is carried, 0 for one
   *     field of 64 bits; swap: the bits to replace
   * @param compare the expected value
   * @param compareMask the bits to compare
   */
  public StreamRequest operands(long operand, long mask, long compare, long compareMask) {
    this.operand = operand;
    this.mask = mask;
    this.compare = compare;
    this.compareMask = compareMask;
    return this;
  }

  /**
   * Sets a window to bind to {@link #local a range} of a region, with Tagged Offsets from 0 on.
   *
   * @param rights of {@link AccessRights}
   */
  public StreamRequest bind(DdpMemoryWindow window, TaggedBuffer region, int rights) {
    this.window = window;
    this.region = region;
    this.rights = rights;
    return windowStag(0, 0);
  }

  /**
   * Sets how the peer names the window.
   *
   * @param baseTo Tagged Offset of its first octet, unsigned
   * @param key the last octet of its STag, if the program chooses it; otherwise 0
   */
  public StreamRequest windowStag(long baseTo, int key) {
    this.baseTo = baseTo;
    this.key = key;
    return this;
  }

  /** The token, which comes back when the request has ended. */
  public long token() {
    return token;
  }

  /** Bits of {@code RdmapFlags}. */
  public int flags() {
    return flags;
  }

  /** The pieces of memory that the message lies in or goes to. */
  public AddressPieces message() {
    return message;
  }

  /** Octets of the message, of the buffer, or of the range. */
  public long length() {
    return length;
  }

  /** The STag of the range. */
  public int localStag() {
    return localStag;
  }

  /** Tagged Offset of the range's first octet. */
  public long localTo() {
    return localTo;
  }

  /** The STag of the peer's buffer; for a Send the STag to invalidate, or 0. */
  public int remoteStag() {
    return remoteStag;
  }

  /** Tagged Offset in the peer's buffer. */
  public long remoteTo() {
    return remoteTo;
  }

  /** Immediate Data. */
  public long immediate() {
    return immediate;
  }

  /** Atomics: the number that is added or swapped in. */
  public long operand() {
    return operand;
  }

  /** Atomics: the ends of fields, or the bits to replace. */
  public long mask() {
    return mask;
  }

  /** Atomics: the expected value. */
  public long compare() {
    return compare;
  }

  /** Atomics: the bits to compare. */
  public long compareMask() {
    return compareMask;
  }

  /** Binds: the window. */
  public DdpMemoryWindow window() {
    return window;
  }

  /** Binds: the region. */
  public TaggedBuffer region() {
    return region;
  }

  /** Binds: the peer's rights. */
  public int rights() {
    return rights;
  }

  /** Binds: Tagged Offset of the window's first octet. */
  public long baseTo() {
    return baseTo;
  }

  /** Binds: the last octet of the STag, if the program chooses it. */
  public int key() {
    return key;
  }
}
