package org.rddp.ddp.sending;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.rddp.ddp.memory.AddressPieces;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/** A posted message and how much of it has been sent. Reused. */
public final class OutgoingMessage {
  /** Octets of heap for an object with its inline octets and its list of pieces. */
  static final int OCTETS = 376;

  /** The longest message whose octets are copied into this object. */
  public static final int INLINE = 64;

  /** Octets of a message that follows another. */
  static final int FOLLOWING = 8;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The source of a posted message whose memory has been revoked. */
  private static final TaggedBuffer REVOKED = TaggedBuffer.ended();

  private final byte[] inline = new byte[INLINE];
  private boolean tagged;
  private long token;
  private int rsvdUlp;
  private int rsvdUlpRest;
  private int target;
  private long to;
  private int msn;
  private long address;
  private boolean inMemory;

  /** The pieces that the octets lie in, if {@link #listed}; null until a message has several. */
  private AddressPieces pieces;

  private boolean listed;
  private TaggedBuffer source;
  private int sourceStag;
  private long sourceOpened;

  /** Tagged Offset of its first octet in the source. */
  private long sourceTo;

  private long length;
  private long sent;

  /** Whether an Untagged Message of eight octets, held in {@link #inline}, follows. */
  private boolean followed;

  private int nextRsvdUlp;
  private int nextQn;
  private int nextMsn;

  /** Whether it is the follower of a Tagged Message with this STag and length, at {@link #to}. */
  private boolean follows;

  private int precedingStag;
  private long precedingLength;

  /** Whether the user makes the octets when the message is due. */
  private boolean deferred;

  /** The request that this responds to; null until this object was used for a response. */
  private RequestHeader request;

  /** Whether this is a local operation of the user instead of a message. */
  private boolean localOperation;

  /** Becomes a local operation, which the user runs when all messages before it have been sent. */
  void localOperation(long token, int rsvdUlp) {
    tagged(token, rsvdUlp, 0, 0);
    localOperation = true;
  }

  /** Whether it is a local operation. */
  boolean isLocalOperation() {
    return localOperation;
  }

  /** Becomes a Tagged Message without octets. */
  void tagged(long token, int rsvdUlp, int stag, long to) {
    begin(token, rsvdUlp);
    tagged = true;
    target = stag;
    this.to = to;
  }

  /** Becomes an Untagged Message without octets. */
  void untagged(long token, int rsvdUlp, int rsvdUlpRest, int qn, int msn) {
    begin(token, rsvdUlp);
    tagged = false;
    this.rsvdUlpRest = rsvdUlpRest;
    target = qn;
    this.msn = msn;
  }

  private void begin(long token, int rsvdUlp) {
    this.token = token;
    this.rsvdUlp = rsvdUlp;
    inMemory = true;
    listed = false;
    followed = false;
    follows = false;
    deferred = false;
    localOperation = false;
    source = null;
    address = 0;
    length = 0;
    sent = 0;
  }

  /** Sets the address of the message's octets. */
  void memory(long from, long octets) {
    address = from;
    length = octets;
  }

  /** Sets the pieces of memory that the message lies in. */
  void memory(AddressPieces list) {
    memory(list.address(), list.length());
    listed = list.count() > 1;
    if (listed) {
      if (pieces == null) {
        pieces = new AddressPieces();
      }
      pieces.set(list);
    }
  }

  /** Increments the Message Sequence Numbers for a queue that gets another message first. */
  void renumber(int qn) {
    if (!tagged && target == qn) {
      msn++;
    }
    if (followed && nextQn == qn) {
      nextMsn++;
    }
  }

  /** Becomes an Untagged Message of few octets, which are copied. */
  void inline(
      long token, int rsvdUlp, int rsvdUlpRest, int qn, int msn, byte[] octets, int length) {
    untagged(token, rsvdUlp, rsvdUlpRest, qn, msn);
    this.length = length;
    inMemory = false;
    System.arraycopy(octets, 0, inline, 0, length);
  }

  /** Appends an Untagged Message of eight octets to this Tagged one; both end together. */
  void followedBy(int rsvdUlp, int qn, int msn, long octets) {
    followed = true;
    nextRsvdUlp = rsvdUlp;
    nextQn = qn;
    nextMsn = msn;
    BIG_ENDIAN.set(inline, 0, octets);
  }

  /** Becomes a response that the user makes from the request when it is due. */
  void deferredResponse(int rsvdUlp, int qn, int msn, Ulpdu question, int from, int octets) {
    untagged(0, rsvdUlp, 0, qn, msn);
    length = octets;
    inMemory = false;
    deferred = true;
    keepRequest(question);
    for (int i = 0; i < octets; i++) {
      inline[i] = (byte) question.getByte(from + i);
    }
  }

  private void keepRequest(Ulpdu question) {
    if (request == null) {
      request = new RequestHeader();
    }
    request.set(question);
  }

  /** The segment that requested this response. */
  DdpErrorReport requestReport() {
    return request.report();
  }

  /** The unsent rest of a response from a Tagged Buffer. */
  UnsentResponse unsent() {
    return new UnsentResponse(
        request.report(), target, to + sent, sourceStag, sourceTo + sent, length - sent);
  }

  /** Whether the user must still make the octets. */
  boolean isDeferred() {
    return deferred;
  }

  /** The request, which the user replaces by the response. */
  byte[] requestOctets() {
    return inline;
  }

  /** Sets the length of the response that the user has made. */
  void setResponseLength(int octets) {
    deferred = false;
    length = octets;
  }

  /** Becomes a response from a Tagged Buffer of ours; the buffer is null if there are no octets. */
  void response(
      int rsvdUlp,
      int stag,
      long to,
      TaggedBuffer source,
      long sourceTo,
      long length,
      Ulpdu question) {
    tagged(0, rsvdUlp, stag, to);
    memory(source == null ? 0 : source.addressOf(sourceTo), length);
    this.source = source;
    sourceStag = source == null ? 0 : source.stag();
    sourceOpened = source == null ? 0 : source.opened();
    this.sourceTo = sourceTo;
    keepRequest(question);
  }

  /** Revokes the memory of a posted message; does nothing if it lies in none. */
  void revoke() {
    if (inMemory && sent < length) {
      source = REVOKED;
    }
  }

  /** Whether the memory of a posted message has been revoked. */
  @SuppressWarnings("ReferenceEquality") // one object stands for all revoked memory
  boolean isRevoked() {
    return source == REVOKED;
  }

  /** Whether the memory that it comes from is no longer valid. */
  boolean sourceIsGone() {
    return source != null && !(source.valid() && source.opened() == sourceOpened); // RDMAP-5.2-05
  }

  long token() {
    return token;
  }

  int rsvdUlp() {
    return rsvdUlp;
  }

  long length() {
    return length;
  }

  /** Says how the peer names it. */
  void name(MessageName name) {
    name.clear();
    if (tagged) {
      name.nameTagged(target, to, length);
    } else {
      name.nameUntagged(target, msn);
    }
    if (follows) {
      name.nameTagged(precedingStag, to, precedingLength);
    }
  }

  int headerLength() {
    return tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
  }

  /**
   * Octets of payload in the next segment, if segments hold {@code mulpdu} octets. A segment's
   * payload lies in one piece of memory.
   */
  int nextPayload(int mulpdu) {
    long left = listed ? pieces.remainingInPiece(sent) : length - sent;
    // DDP-5.2-06, DDP-5.2-09; DDP-5.2-01: "MUST be no larger than the MULPDU value Advertised by
    // the LLP"
    return (int) Math.min(left, mulpdu - headerLength());
  }

  /** Octets in the last of the remaining segments, if those before it have {@code most} each. */
  int lastPayload(int most) {
    return (int) ((length - sent - 1) % most) + 1;
  }

  /** Whether a segment with {@code payload} octets is the last one. */
  boolean endsWith(int payload) {
    return sent + payload == length && !followed;
  }

  /** Address of the next segment's payload. */
  long nextAddress() {
    return listed ? pieces.addressOf(sent) : address + sent;
  }

  /** Whether its octets lie in memory of the user; otherwise they are copied behind the header. */
  boolean inMemory() {
    return inMemory;
  }

  /** Writes the octets of a message that is not {@link #inMemory}. */
  void writeInline(long at) {
    Memory.copy(inline, 0, at, (int) length);
  }

  /**
   * Writes the next segment's header, with {@code payload} octets behind it.
   *
   * @param ulpBits bits to set in the user's octet in addition to the posted ones
   */
  void writeHeader(long at, int version, int ulpBits, int payload) {
    // DDP-4.1-03: "MUST be set to one on the last DDP Segment of every DDP Message"; DDP-5.2-10:
    // "MUST consume exactly one DDP Segment"
    boolean last = sent + payload == length;
    int ulp = rsvdUlp | ulpBits;
    if (tagged) {
      // DDP-4.2-02, DDP-4.2-05: "Each DDP Segment within a specific DDP Message MUST contain the
      // same value for this field"; DDP-4.2-07, DDP-5.2-07: "MUST specify the STag and the initial
      // TO"; DDP-5.2-08: "plus the TO assigned to the first octet"; DDP-5.2-11: "Only the DDP
      // Control and RsvdULP Fields MUST be valid for a zero-length Tagged DDP Segment".
      DdpHeader.writeTagged(at, version, last, ulp, target, to + sent);
    } else {
      // DDP-4.3-02, DDP-4.3-05, DDP-4.3-09: "MUST contain the same value"; DDP-4.3-10: "MUST be set
      // to zero by the DDP layer"; DDP-5.2-05: "the MO MUST be set to the octet offset from the
      // first octet in the associated ULP Message", so the last has the highest (DDP-4.1-05).
      DdpHeader.writeUntagged(at, version, last, ulp, rsvdUlpRest, target, msn, (int) sent);
    }
  }

  /** Records that the next segment has been sent; returns whether the whole message has. */
  boolean sent(int payload) {
    // DDP-5.3-02; DDP-4.1-04: "after all other DDP Segments of the associated DDP Message";
    // DDP-5.2-03: "MUST send all the data contained in the ULP message"
    sent += payload;
    if (sent < length) {
      return false;
    }
    if (followed) {
      precedingStag = target;
      precedingLength = length;
      untagged(token, nextRsvdUlp, 0, nextQn, nextMsn); // RDMAPX-6-04
      follows = true;
      length = FOLLOWING;
      inMemory = false;
      return false;
    }
    return true;
  }

  /** Transfers a message and how much of it has been sent. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(OutgoingMessage.class);
    token = snapshot.number("token", token);
    rsvdUlp = snapshot.number("rsvdUlp", rsvdUlp);
    rsvdUlpRest = snapshot.number("rsvdUlpRest", rsvdUlpRest);
    tagged = snapshot.flag("tagged", tagged);
    target = snapshot.number("target", target);
    to = snapshot.number("to", to);
    msn = snapshot.number("msn", msn);
    length = snapshot.number("length", length, 0, Long.MAX_VALUE);
    sent = snapshot.number("sent", sent, 0, length);
    deferred = snapshot.flag("deferred", deferred);
    localOperation = snapshot.flag("localOperation", localOperation);
    transferFollowing(snapshot);
    transferSource(snapshot, references);
    transferOctets(snapshot, references);
    snapshot.end();
  }

  private void transferFollowing(Snapshot snapshot) {
    followed = snapshot.flag("followed", followed);
    nextRsvdUlp = snapshot.number("nextRsvdUlp", nextRsvdUlp);
    nextQn = snapshot.number("nextQn", nextQn);
    nextMsn = snapshot.number("nextMsn", nextMsn);
    follows = snapshot.flag("follows", follows);
    precedingStag = snapshot.number("precedingStag", precedingStag);
    precedingLength = snapshot.number("precedingLength", precedingLength);
  }

  private void transferSource(Snapshot snapshot, DdpReferences references) {
    boolean isRevoked = snapshot.flag("isRevoked", isRevoked());
    source = isRevoked ? REVOKED : references.buffer(snapshot, "source", source);
    sourceStag = snapshot.number("sourceStag", sourceStag);
    sourceOpened = snapshot.number("sourceOpened", sourceOpened);
    sourceTo = snapshot.number("sourceTo", sourceTo);
    if (snapshot.flag("request", request != null)) {
      request = request == null ? new RequestHeader() : request;
      request.transfer(snapshot);
    }
  }

  /** Transfers the octets that are not in memory, and where those are that will be read there. */
  private void transferOctets(Snapshot snapshot, DdpReferences references) {
    inMemory = snapshot.flag("inMemory", inMemory);
    if (!inMemory || followed) {
      byte[] octets = snapshot.octets("inline", inline);
      if (octets == null || octets.length != INLINE || (!inMemory && length > INLINE)) {
        throw snapshot.wrong("a message has no octets, or too many");
      }
      System.arraycopy(octets, 0, inline, 0, INLINE);
    }
    boolean isRead = inMemory && sent < length && !sourceIsGone();
    listed = snapshot.flag("listed", isRead && listed);
    if (listed) {
      pieces = pieces == null ? new AddressPieces() : pieces;
      pieces.transfer(snapshot, references.memories());
    } else {
      address = references.memories().transfer(snapshot, "address", isRead ? address : 0, length);
    }
    if (isRead && (listed ? pieces.length() != length : address == 0)) {
      throw snapshot.wrong("a message is in no memory");
    }
  }
}
