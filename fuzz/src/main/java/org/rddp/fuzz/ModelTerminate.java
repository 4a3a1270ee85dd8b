package org.rddp.fuzz;

import java.util.Arrays;
import java.util.HexFormat;

/** Terminates (RFC 5040 section 4.8). Errors are written layer/type/code. */
final class ModelTerminate {
  private static final int TAGGED_HEADER = 14;
  private static final int UNTAGGED_HEADER = 18;

  private ModelTerminate() {}

  /**
   * The contents of a Terminate, in hexadecimal: the error, and the header of the segment if it is
   * whole.
   *
   * @param request octets of RDMAP's header behind it that are included
   */
  static String of(String error, byte[] segment, int request) {
    String[] numbers = error.split("/", -1);
    int control =
        Integer.parseInt(numbers[0]) << 12
            | Integer.parseInt(numbers[1]) << 8
            | Integer.parseInt(numbers[2]);
    int header = segment.length > 0 && segment[0] < 0 ? TAGGED_HEADER : UNTAGGED_HEADER;
    if (segment.length < header || numbers[1].equals("0")) {
      return "%04x0000".formatted(control);
    }
    String flags = request > 0 ? "e000" : "c000";
    String octets = HexFormat.of().formatHex(segment, 0, header + request);
    return "%04x%s%04x%s".formatted(control, flags, segment.length, octets);
  }

  /** The error in a peer's Terminate; siw swaps the nibbles. */
  static String read(byte[] segment, int at) {
    int first = segment[at] & 0xff;
    int code = segment[at + 1] & 0xff;
    String right = (first >> 4) + "/" + (first & 15) + "/" + code;
    String swapped = (first & 15) + "/" + (first >> 4) + "/" + code;
    return exists(swapped) && (isSiws(segment, at) || !exists(right)) ? swapped : right;
  }

  /** Whether headers follow that only siw's order of the flags announces. */
  private static boolean isSiws(byte[] segment, int at) {
    boolean flags = segment[at + 2] == 3 || segment[at + 2] == 7;
    return flags && segment.length - at >= 6 + TAGGED_HEADER;
  }

  /** Whether a Terminate that begins there has the headers that its flags announce, and no more. */
  static boolean isWhole(byte[] segment, int at) {
    int octets = segment.length - at;
    if (octets < 4 || isSiws(segment, at)) {
      return octets >= 4;
    }
    int flags = segment[at + 2] & 0xe0;
    int length = flags >= 0x40 ? 6 : 4;
    if ((flags & 0x40) != 0) {
      boolean tagged = octets > 6 && segment[at + 6] < 0;
      length += tagged ? TAGGED_HEADER : UNTAGGED_HEADER;
    }
    return octets >= length + ((flags & 0x20) != 0 ? 28 : 0);
  }

  /** Whether the RFCs know an error. */
  private static boolean exists(String error) {
    String known =
        "0/0/0 0/1/0 0/1/1 0/1/2 0/1/3 0/1/4 0/1/9 0/1/255 0/2/5 0/2/6 0/2/7 0/2/8 0/2/9 0/2/255"
            + " 1/0/0 1/1/0 1/1/1 1/1/2 1/1/3 1/1/4 1/2/1 1/2/2 1/2/3 1/2/4 1/2/5 1/2/6"
            + " 2/0/1 2/0/2 2/0/3 2/0/4 2/0/5 2/0/6 2/0/7";
    return Arrays.asList(known.split(" ", -1)).contains(error);
  }
}
