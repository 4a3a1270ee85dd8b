package org.rddp.mpa;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An MPA Request or Reply Frame (RFC 5044 section 7.1.1, figure 8; RFC 6581). */
final class StartupFrame {
  /** The kinds of frames; they differ in the Key. */
  enum Kind {
    // MPA-7.1.1-02: "MUST set this field to the fixed value"
    REQUEST("MPA ID Req Frame", "MPA Request"),
    // MPA-7.1.1-04: "MUST set this field to the fixed value"
    REPLY("MPA ID Rep Frame", "MPA Reply"),
    /** The Start Key of draft-culley-iwarp-mpa-03, which replaces both: see {@link StartKey}. */
    // D03-8.1.1-02: "must set this field to the fixed value"
    START_KEY("MPA ident frame", "MPA Start Key"),
    /** The message that may precede a Start Key: see {@link PrivateDataMessage}. */
    PRIVATE_DATA("", "Private Data message");

    private final String key;
    private final String title;

    Kind(String key, String title) {
      this.key = key;
      this.title = title;
    }

    /** Octets of the Key. */
    int keyOctets() {
      return key.length();
    }

    /** The Key. */
    String text() {
      return key;
    }

    /** Octet {@code at} of the Key, 0 to 255. */
    int key(int at) {
      return key.charAt(at);
    }

    /** Whether the Key begins with the first {@code count} octets. */
    boolean begins(byte[] octets, int count) {
      boolean same = count <= key.length();
      for (int at = 0; same && at < count; at++) {
        same = (octets[at] & 0xff) == key.charAt(at);
      }
      return same;
    }

    /** The frame's name in messages. */
    String title() {
      return title;
    }
  }

  static final int KEY_OCTETS = 16;
  static final int FLAGS = 16;
  static final int REVISION = 17;
  static final int PD_LENGTH = 18;
  static final int PRIVATE_DATA = 20;

  /** The most octets of Private Data. */
  static final int MAX_PRIVATE_DATA = 512; // MPA-7.1.1-23

  /** The most octets of a frame. */
  static final int MAX_OCTETS = PRIVATE_DATA + MAX_PRIVATE_DATA;

  /** The revision of the RDMA Consortium's MPA. */
  static final int RDMAC = 0;

  /** The revision of RFC 5044. */
  static final int RFC5044 = 1; // MPA-7.1.1-16: "senders MUST set this field to one"

  /** The revision of RFC 6581. */
  static final int RFC6581 = 2;

  private static final int M = 0x80;
  private static final int C = 0x40;
  private static final int R = 0x20;
  private static final int S = 0x10;

  private final Kind kind;
  private final int flags;
  private final int revision;
  private final byte[] privateData;

  private StartupFrame(Kind kind, int flags, int revision, byte[] privateData) {
    this.kind = kind;
    this.flags = flags;
    this.revision = revision;
    this.privateData = privateData;
  }

  /**
   * Creates a frame to be sent.
   *
   * @param enhanced whether the Private Data begins with an {@link Enhancement}
   * @param privateData 0 to 512 octets; not copied
   */
  static StartupFrame of(
      Kind kind,
      boolean markers,
      boolean crc,
      boolean rejected,
      boolean enhanced,
      int revision,
      byte[] privateData) {
    // MPA-7.1.1-01, P2P-6-04; MPA-7.1.1-14, P2P-6-05: "MUST be set to zero when sending"
    int flags = (markers ? M : 0) | (crc ? C : 0) | (rejected ? R : 0) | (enhanced ? S : 0);
    return new StartupFrame(kind, flags, revision, privateData);
  }

  /** Decodes {@code octets}, a complete and valid frame. */
  static StartupFrame decode(Kind kind, byte[] octets) {
    int end = PRIVATE_DATA + privateDataLength(octets);
    return new StartupFrame(
        kind,
        octets[FLAGS] & 0xff,
        octets[REVISION] & 0xff,
        Arrays.copyOfRange(octets, PRIVATE_DATA, end));
  }

  /** Field PD_Length of a frame of at least 20 octets. */
  static int privateDataLength(byte[] octets) {
    return (octets[PD_LENGTH] & 0xff) << 8 | (octets[PD_LENGTH + 1] & 0xff);
  }

  /** Encodes the frame: 20 octets and the Private Data. */
  byte[] encode() {
    // MPA-7.1.1-01, P2P-6-04; MPA-7.1-05: "without using CRCs or Markers"
    byte[] octets = new byte[PRIVATE_DATA + privateData.length];
    System.arraycopy(kind.key.getBytes(StandardCharsets.US_ASCII), 0, octets, 0, KEY_OCTETS);
    octets[FLAGS] = (byte) flags;
    octets[REVISION] = (byte) revision;
    // MPA-7.1.1-19: "MUST contain the length in octets of the Private Data field"
    octets[PD_LENGTH] = (byte) (privateData.length >> 8);
    octets[PD_LENGTH + 1] = (byte) privateData.length;
    System.arraycopy(privateData, 0, octets, PRIVATE_DATA, privateData.length);
    return octets;
  }

  /** The kind of frame. */
  Kind kind() {
    return kind;
  }

  /** Bit M: the sender of the frame requires Markers in what it receives. */
  boolean markers() {
    return (flags & M) != 0; // MPA-7.1.1-15: "not checked on reception"
  }

  /** Bit C: the sender of the frame prefers CRCs. */
  boolean crc() {
    return (flags & C) != 0;
  }

  /** Bit R of a Reply: the Responder's user rejects. Undefined in a Request. */
  boolean rejected() {
    // MPA-7.1.1-12: "not checked on reception in the MPA Request Frame"
    return kind == Kind.REPLY && (flags & R) != 0;
  }

  /** Field Rev. */
  int revision() {
    return revision;
  }

  /** Bit S (revision 2): the Private Data begins with an {@link Enhancement}. */
  boolean enhanced() {
    return enhanced(flags, revision);
  }

  /** Bit S in the flags of a frame of a given revision. */
  static boolean enhanced(int flags, int revision) {
    // P2P-6-03; P2P-6-02: "MUST continue to accept MPA Requests with version one"
    return revision == RFC6581 && (flags & S) != 0;
  }

  /** The first octets of an enhanced frame's Private Data. */
  Enhancement enhancement() {
    return Enhancement.decode(privateData);
  }

  /** The user's Private Data, 0 to 512 octets. */
  byte[] privateData() {
    return enhanced()
        ? Arrays.copyOfRange(privateData, Enhancement.OCTETS, privateData.length) // P2P-6-03
        : privateData;
  }
}
