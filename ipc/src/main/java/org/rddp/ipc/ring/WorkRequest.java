package org.rddp.ipc.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.StringJoiner;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;

/**
 * A work request as the daemon reads it: a private copy of one entry of the submission ring.
 *
 * <p>Layout of the first slot; each further one (at most three) has a state word of zero, four
 * reserved octets and 56 octets of inline data. An atomic has one further slot, whose data begins
 * with operand, mask, compare and compare mask (8 octets each). A list has two pieces in each
 * further slot: local STag (4), zero (4), local offset (8), length (8); its first slot names no
 * local memory. The object is what the opcode names: the peer's STag, an STag to be invalidated, a
 * window or a shared receive queue. A bind has the rights instead of the remote TO, the key of its
 * STag at 44 and the Tagged Offset of its first octet at 56:
 *
 * <pre>
 *  0  state word (4)          24  local offset (8), from the region's first octet
 *  4  opcode (1)              32  length (8), octets of the message
 *  5  flags (1)               40  object (4)
 *  6  slots (1), 1 to 4       44  zero (4)
 *  7  pieces (1), of a list   48  remote TO (8)
 *  8  work request id (8)     56  immediate data (8)
 * 16  connection (4)
 * 20  local STag (4)
 * </pre>
 *
 * <p>Where the opcode is plain DDP's, 44 is the Queue Number and 56 the RsvdULP.
 *
 * <p>{@link DaemonRings#take} reads the shared entry once; later writes of the program do not
 * change this object. It is well formed; the daemon must still check connection, STag and range.
 * Used by one thread; reused without allocation.
 */
public final class WorkRequest {
  /** The most slots that a request takes. */
  public static final int MAX_SLOTS = 4;

  /** The most octets that a request carries inline. */
  public static final int MAX_INLINE = (MAX_SLOTS - 1) * 56;

  static final int OPCODE = 4;
  static final int ID = 8;
  static final int CONNECTION = 16;
  static final int LOCAL_STAG = 20;
  static final int LOCAL_OFFSET = 24;
  static final int LENGTH = 32;
  static final int OBJECT = 40;
  static final int QN = 44;
  static final int REMOTE_TO = 48;
  static final int IMMEDIATE = 56;

  /** The slots of an atomic. */
  public static final int ATOMIC_SLOTS = 2;

  /** Offset of the data in a further slot. */
  static final int DATA = 8;

  /** Octets of inline data in a further slot. */
  static final int DATA_OCTETS = RingLayout.SLOT - DATA;

  private static final int OPERANDS = 0;

  static final int PIECE = 24;
  static final int PIECE_OFFSET = 8;
  static final int PIECE_LENGTH = 16;

  private static final List<String> FLAG_NAMES =
      List.of("SIGNALLED", "INLINE", "FENCED", "SOLICITED", "LIST");

  /** A copy of the data of further slots. */
  private final MemorySegment further = Arena.ofAuto().allocate(MAX_INLINE, 64);

  private int opcode;
  private int flags;
  private int slots;
  private long id;
  private int connection;
  private int localStag;
  private long localOffset;
  private long length;
  private int object;
  private int qn;
  private long remoteTo;
  private long immediate;
  private int pieces;

  /** The flags that a program may give a request, by name, for people; others by number. */
  public static String flagNames(int flags) {
    StringJoiner names = new StringJoiner(", ");
    int rest = flags;
    for (int i = 0; i < FLAG_NAMES.size(); i++) {
      if ((flags & 1 << i) != 0) {
        names.add(FLAG_NAMES.get(i));
        rest &= ~(1 << i);
      }
    }
    return rest == 0 ? names.toString() : names.add("0x%x".formatted(rest)).toString();
  }

  /** The second word of a slot: opcode, flags and number of slots in one store. */
  static int opcodeWord(int opcode, int flags, int slots) {
    return opcode | flags << 8 | slots << 16;
  }

  /** The slots of a list, the first one included. */
  static int slotsForPieces(int pieces) {
    return 1 + (pieces + 1) / 2;
  }

  /** The number of the further slot that a piece lies in. */
  static int pieceSlot(int piece) {
    return 1 + piece / 2;
  }

  /** Offset of the piece in that slot's data. */
  static int pieceAt(int piece) {
    return piece % 2 * PIECE;
  }

  /** The slots of a request that carries its message, the first one included. */
  public static int slotsForInline(long length) {
    return 1 + (int) ((length + DATA_OCTETS - 1) / DATA_OCTETS);
  }

  /**
   * Reads every word of a first slot once; returns the number of slots that the request claims, 0
   * to 255.
   *
   * @param slot its address
   */
  int readFirst(long slot) {
    int word = RingLayout.getIntOnce(slot + OPCODE);
    id = RingLayout.getLongOnce(slot + ID);
    connection = RingLayout.getIntOnce(slot + CONNECTION);
    localStag = RingLayout.getIntOnce(slot + LOCAL_STAG);
    localOffset = RingLayout.getLongOnce(slot + LOCAL_OFFSET);
    length = RingLayout.getLongOnce(slot + LENGTH);
    object = RingLayout.getIntOnce(slot + OBJECT);
    qn = RingLayout.getIntOnce(slot + QN);
    remoteTo = RingLayout.getLongOnce(slot + REMOTE_TO);
    immediate = RingLayout.getLongOnce(slot + IMMEDIATE);
    opcode = word & 0xff;
    flags = word >>> 8 & 0xff;
    slots = word >>> 16 & 0xff;
    pieces = word >>> 24;
    return slots;
  }

  /** The connection that a request names, by the address of its first slot. */
  static int connectionOf(long slot) {
    return RingLayout.getIntOnce(slot + CONNECTION);
  }

  /** The slots that a request claims, 1 at least, by the address of its first slot. */
  static int slotsOf(long slot) {
    return Math.max(RingLayout.getIntOnce(slot + OPCODE) >>> 16 & 0xff, 1);
  }

  /** Copies the data of a further slot, number 1 to 3, at an address. */
  void copyFurther(long slot, int number) {
    MemorySegment.copy(
        RingLayout.ALL, slot + DATA, further, (number - 1L) * DATA_OCTETS, DATA_OCTETS);
  }

  /** Whether {@link SubmissionEntry} can have written the copy. */
  boolean isWellFormed() {
    RequestForm form = form();
    return form != null
        && (flags & ~form.flags()) == 0
        && (qn & ~form.qnBits()) == 0
        && (remoteTo & ~form.toBits()) == 0
        && (immediate & ~form.immediateBits()) == 0
        && length >= form.least()
        && length <= (isInline() ? MAX_INLINE : form.most())
        && localOffset >= 0
        && slots == slots()
        && piecesFit();
  }

  /** What a well-formed request with this opcode is. */
  public RequestForm form() {
    return RequestForm.of(opcode);
  }

  private int slots() {
    if (form().atomic()) {
      return ATOMIC_SLOTS;
    }
    if (isList()) {
      return slotsForPieces(pieces);
    }
    return isInline() ? slotsForInline(length) : 1;
  }

  /** Whether the pieces are well formed and add up to the message's length. */
  private boolean piecesFit() {
    if (!isList()) {
      return pieces == 0;
    }
    boolean fit =
        !isInline()
            && pieces >= 1
            && pieces <= StagPieces.MOST
            && localStag == 0
            && localOffset == 0;
    long total = 0;
    for (int i = 0; fit && i < pieces; i++) {
      long octets = pieceLength(i);
      fit =
          octets >= 0
              && octets <= RequestForm.MAX_LENGTH
              && pieceOffset(i) >= 0
              && RingLayout.getInt(further, piece(i) + 4) == 0;
      total += octets;
    }
    return fit && total == length;
  }

  private static int piece(int index) {
    return index / 2 * DATA_OCTETS + pieceAt(index);
  }

  /** One of {@link Opcode}. */
  public int opcode() {
    return opcode;
  }

  /** Whether success is reported, too. Receives and binds are always reported. */
  public boolean isSignalled() {
    return (flags & SendFlags.SIGNALLED) != 0 || form().alwaysReported();
  }

  /** Whether the message lies in the request itself, at {@link #inlineAddress()}. */
  public boolean isInline() {
    return (flags & RequestForm.INLINE) != 0;
  }

  /** Flags for the stream: {@link SendFlags#FENCED} and {@link SendFlags#SOLICITED}. */
  public int streamFlags() {
    return flags & (SendFlags.FENCED | SendFlags.SOLICITED);
  }

  private boolean isList() {
    return (flags & RequestForm.LIST) != 0;
  }

  /**
   * Number of pieces of memory that the message lies in or is placed into: 0 to {@link
   * StagPieces#MOST}. A part of a region is one piece; an empty or inline message has none.
   */
  public int pieces() {
    if (isList()) {
      return pieces;
    }
    return length == 0 || isInline() ? 0 : 1;
  }

  /** The region of a piece. */
  public int pieceStag(int index) {
    return isList() ? RingLayout.getInt(further, piece(index)) : localStag;
  }

  /** Offset of a piece in its region, 0 or more. */
  public long pieceOffset(int index) {
    return isList() ? RingLayout.getLong(further, piece(index) + PIECE_OFFSET) : localOffset;
  }

  /** Octets of a piece. */
  public long pieceLength(int index) {
    return isList() ? RingLayout.getLong(further, piece(index) + PIECE_LENGTH) : length;
  }

  /** The program's own number for the request. */
  public long id() {
    return id;
  }

  /** The connection's number, see {@link ConnectionId}. */
  public int connection() {
    return connection;
  }

  /** The region that the message comes from or goes to. */
  public int localStag() {
    return localStag;
  }

  /** Offset in that region, 0 or more. */
  public long localOffset() {
    return localOffset;
  }

  /**
   * Octets of the message, or of room for one: 0 to {@link RequestForm#MAX_LENGTH}; of a {@link
   * Opcode#BIND} those of the window, which may be more.
   */
  public long length() {
    return length;
  }

  /** The peer's STag to work on; for a {@link Opcode#SEND} the one to invalidate, or 0. */
  public int remoteStag() {
    return object;
  }

  /** Number of the shared receive queue for a {@link Opcode#RECEIVE} that names no connection. */
  public int receiveQueue() {
    return object;
  }

  /** {@link Opcode#INVALIDATE}: the STag of this end. */
  public int invalidatedStag() {
    return object;
  }

  /** {@link Opcode#BIND}: the window's number. */
  public int window() {
    return object;
  }

  /** {@link Opcode#BIND}: the peer's rights, bits of {@link Access}. */
  public int rights() {
    return (int) remoteTo;
  }

  /** {@link Opcode#BIND}: the last octet of the window's STag, if the program chooses it. */
  public int windowKey() {
    return qn;
  }

  /** {@link Opcode#BIND}: the Tagged Offset of the window's first octet, unsigned. */
  public long windowBase() {
    return immediate;
  }

  /** The Tagged Offset in the peer's memory. */
  public long remoteTo() {
    return remoteTo;
  }

  /**
   * Immediate data, for {@link Opcode#WRITE_IMMEDIATE}, {@link Opcode#IMMEDIATE} and, of 32 bits,
   * {@link Opcode#SEND_WITH_IMMEDIATE}.
   */
  public long immediate() {
    return immediate;
  }

  /** Plain DDP's opcodes: the Queue Number, unsigned. */
  public int qn() {
    return qn;
  }

  /** Plain DDP's opcodes: RsvdULP, 40 or 8 bits. */
  public long rsvdUlp() {
    return immediate;
  }

  /** Atomics: the number that is added or swapped in. */
  public long operand() {
    return RingLayout.getLong(further, OPERANDS);
  }

  /** Atomics: the bits that no carry leaves, or the bits to replace. */
  public long mask() {
    return RingLayout.getLong(further, OPERANDS + 8L);
  }

  /** {@link Opcode#COMPARE_SWAP}: the expected value. */
  public long compare() {
    return RingLayout.getLong(further, OPERANDS + 16L);
  }

  /** {@link Opcode#COMPARE_SWAP}: the bits to compare. */
  public long compareMask() {
    return RingLayout.getLong(further, OPERANDS + 24L);
  }

  /** Address of the inline data, good until the next {@link DaemonRings#take}. */
  public long inlineAddress() {
    return further.address();
  }

  @Override
  public String toString() {
    return "%s id %d connection %08x length %d%s"
        .formatted(Opcode.name(opcode), id, connection, length, isInline() ? " inline" : "");
  }
}
