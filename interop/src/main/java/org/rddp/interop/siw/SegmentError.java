package org.rddp.interop.siw;

import java.util.Locale;
import org.rddp.wire.Memory;

/**
 * An error put into a segment, and the Terminate that must answer it.
 *
 * <p>Offsets are those in the FPDU: two octets of length, two of control, then the rest of the
 * header.
 */
enum SegmentError {
  /** A wrong CRC; the segments of all other errors have a correct one. */
  CRC(SegmentError.SEND, "2002", "0202"),
  DDP_VERSION(SegmentError.SEND, "1206", "2106"),
  RDMAP_VERSION(SegmentError.SEND, "0205", "2005"),
  OPCODE(SegmentError.SEND, "0206", "2006"),
  QUEUE(SegmentError.SEND, "1201", "2101"),
  MSN(SegmentError.SEND, "1202", "2103"),
  STAG(SegmentError.WRITE, "1100", "1100"),
  BOUNDS(SegmentError.WRITE, "1101", "1101"),
  READ_STAG(SegmentError.READ_REQUEST, "0100", "1000"),
  READ_BOUNDS(SegmentError.READ_REQUEST, "0101", "1001");

  private static final int WRITE = 0;
  private static final int READ_REQUEST = 1;
  private static final int SEND = 3;

  private static final int DDP_CONTROL = 2;
  private static final int RDMAP_CONTROL = 3;
  private static final int TAGGED_STAG = 4;
  private static final int TAGGED_TO = 8;
  private static final int QN = 8;
  private static final int MESSAGE_NUMBER = 12;
  private static final int SOURCE_STAG = 36;
  private static final int SOURCE_TO = 40;
  private static final int VERSION_BITS = 3;
  private static final int RDMAP_VERSION_BITS = 0xc0;
  private static final int UNKNOWN_OPCODE = 15;
  private static final int NO_QUEUE = 9;
  private static final int AHEAD = 100;
  private static final int FAR = 1 << 20;

  private final int opcode;
  private final String ours;
  private final String siws;

  /**
   * An error.
   *
   * @param opcode of the message that gets the error
   * @param ours the first two octets of our Terminate: layer, type, code
   * @param siws those of siw's, which swaps layer and type
   */
  SegmentError(int opcode, String ours, String siws) {
    this.opcode = opcode;
    this.ours = ours;
    this.siws = siws;
  }

  /** RDMAP's opcode of the message that gets the error. */
  int opcode() {
    return opcode;
  }

  /**
   * Whether siw's Terminate, with layer and type swapped and no header, is a valid Terminate of
   * another layer, and so must be read as that.
   */
  boolean isAmbiguousFromSiw() {
    return this == RDMAP_VERSION || this == OPCODE;
  }

  /** Whether only a server of rping sends the message. */
  boolean isSentByServer() {
    return opcode != SEND;
  }

  /** The first two octets of the Terminate that must follow, in hexadecimal. */
  String terminate(boolean bySiw) {
    return bySiw ? siws : ours;
  }

  /**
   * Puts the error into an FPDU; does not correct its CRC.
   *
   * @param fpdu its address
   * @param octets of the FPDU, the CRC included
   * @return whether the CRC must be corrected
   */
  boolean apply(long fpdu, int octets) {
    switch (this) {
      case CRC -> flip(fpdu + octets - 1, 1);
      case DDP_VERSION -> flip(fpdu + DDP_CONTROL, VERSION_BITS);
      case RDMAP_VERSION -> flip(fpdu + RDMAP_CONTROL, RDMAP_VERSION_BITS);
      case OPCODE -> flip(fpdu + RDMAP_CONTROL, opcode ^ UNKNOWN_OPCODE);
      case QUEUE -> Memory.putInt(fpdu + QN, NO_QUEUE);
      case MSN -> add(fpdu + MESSAGE_NUMBER, AHEAD);
      case STAG -> flip(fpdu + TAGGED_STAG, 1);
      case BOUNDS -> Memory.putLong(fpdu + TAGGED_TO, Memory.getLong(fpdu + TAGGED_TO) + FAR);
      case READ_STAG -> flip(fpdu + SOURCE_STAG, 1);
      case READ_BOUNDS -> Memory.putLong(fpdu + SOURCE_TO, Memory.getLong(fpdu + SOURCE_TO) + FAR);
    }
    return this != CRC;
  }

  private static void flip(long address, int bits) {
    Memory.putByte(address, Memory.getByte(address) ^ bits);
  }

  private static void add(long address, int value) {
    Memory.putInt(address, Memory.getInt(address) + value);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
