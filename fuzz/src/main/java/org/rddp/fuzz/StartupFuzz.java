package org.rddp.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.rddp.device.NativePacketPool;
import org.rddp.fuzz.FuzzedUlpdus.Answer;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Rtr;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpStream;

/**
 * MPA's Startup Phase: any startup frame of a peer, any calls, for an Initiator and for a Responder
 * in every configuration.
 *
 * <p>An input is four octets of settings, the peer's frame (right except for what the input
 * changes, or any octets) and a list of operations: the segmentation, calls of the user, time, and
 * the end of the TCP connection.
 */
public final class StartupFuzz {
  private static final int PACKETS = 256;
  private static final int HEADER = 20;

  /** Packets that an FPDU after the frame may take. */
  private static final int FOR_ONE_FPDU = 64;

  private static final int MOST_PRIVATE_DATA = 512;
  private static final int ENHANCEMENT = 4;
  private static final int S = 0x10;
  private static final int R = 0x20;
  private static final int C = 0x40;
  private static final int M = 0x80;
  private static final String REQUEST = "MPA ID Req Frame";
  private static final String REPLY = "MPA ID Rep Frame";
  private static final String START_KEY = "MPA ident frame";
  private static final NativePacketPool POOL = new NativePacketPool(PACKETS, 2304);
  private static final Set<MpaError> ALLOWED =
      EnumSet.of(
          MpaError.CONNECTION_LOST,
          MpaError.CRC,
          MpaError.MARKER,
          MpaError.STARTUP,
          MpaError.INSUFFICIENT_IRD,
          MpaError.NO_MATCHING_RTR);

  private final FuzzInput input;
  private final boolean initiator;
  private final MpaSettings settings;
  private final FuzzedUlpdus user;
  private final MpaStartup startup;
  private final InMemoryTcpStream stream;
  private final byte[] octets;
  private int at;
  private boolean disturbed;

  private StartupFuzz(FuzzInput input) {
    this.input = input;
    int choices = input.octet();
    int more = input.octet();
    initiator = (choices & 1) != 0;
    settings =
        MpaSettings.DEFAULTS
            .withCrc((choices & 2) == 0)
            .withMarkers((choices & 4) != 0)
            .withRevision((choices & 8) == 0 ? 1 : 2)
            .withPermissive((choices & 16) != 0)
            .withStartKey((choices & 32) != 0)
            .withReadsNegotiated((choices & 64) == 0)
            .withPeerToPeer((choices & 128) != 0)
            .withRtr(rtr(more & 7))
            .withReads(more >>> 3 & 3, more >>> 5 & 3)
            .withEarly((more & 128) != 0);
    int data = input.unsignedShort() % (MOST_PRIVATE_DATA + 1);
    Answer[] answers = Answer.values();
    user = new FuzzedUlpdus(answers[data % answers.length], new byte[data]);
    int most = settings.startKey() ? 0 : MOST_PRIVATE_DATA - ENHANCEMENT;
    startup =
        initiator
            ? MpaStartup.initiator(settings, new byte[Math.min(data, most)], user, user)
            : MpaStartup.responder(settings, user, user);
    stream = new InMemoryTcpStream(POOL, 1460, more);
    stream.open(startup);
    octets = frame();
  }

  private static Set<Rtr> rtr(int mask) {
    Set<Rtr> kinds = EnumSet.noneOf(Rtr.class);
    int bit = 1;
    for (Rtr kind : Rtr.values()) {
      if ((mask & bit) != 0) {
        kinds.add(kind);
      }
      bit <<= 1;
    }
    return kinds.isEmpty() ? EnumSet.allOf(Rtr.class) : kinds;
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    new StartupFuzz(new FuzzInput(octets)).run();
  }

  /** The frame that the peer sends, and what follows it. */
  private byte[] frame() {
    int kind = input.octet();
    String key =
        switch (kind & 3) {
          case 0 -> expectedKey();
          case 1 -> initiator ? REQUEST : REPLY;
          case 2 -> START_KEY;
          default -> "";
        };
    int flags = input.octet();
    int revision = (kind & 4) == 0 ? input.octet() & 3 : input.octet();
    int data = (kind & 8) == 0 ? input.octet() & 15 : input.unsignedShort() & 1023;
    int said = (kind & 16) == 0 ? data : input.unsignedShort();
    int follow = (kind & 32) == 0 ? 0 : input.octet();
    byte[] all = new byte[key.length() + ENHANCEMENT + data + follow];
    System.arraycopy(key.getBytes(StandardCharsets.US_ASCII), 0, all, 0, key.length());
    int index = key.length();
    all[index++] = (byte) flags;
    if (!key.equals(START_KEY)) {
      all[index++] = (byte) revision;
      all[index++] = (byte) (said >> 8);
      all[index++] = (byte) said;
    }
    int given = Math.min(all.length - index, (kind & 64) == 0 ? 8 : all.length);
    for (int i = 0; i < given; i++) {
      all[index++] = (byte) input.octet();
    }
    boolean bare = key.equals(START_KEY) && (kind & 128) == 0;
    return bare ? Arrays.copyOf(all, START_KEY.length() + 1) : all;
  }

  private String expectedKey() {
    return settings.startKey() ? START_KEY : initiator ? REPLY : REQUEST;
  }

  private void run() {
    while (!input.exhausted() && at < octets.length) {
      operate(input.octet());
      check();
    }
    deliver(octets.length);
    check();
    judge();
    stream.end(CloseReason.NORMAL);
    Frames.require(user.closed(), "not told of the end");
    Frames.require(POOL.available() == PACKETS, "packets are missing");
  }

  private void operate(int operation) {
    switch (operation & 7) {
      case 0, 1, 2 -> deliver(1 + (operation >>> 3));
      case 3 -> turnAround(1 + (operation >>> 3), 1 + input.octet());
      case 4 -> deliver(octets.length);
      default -> disturb(operation >>> 3);
    }
  }

  private void deliver(int most) {
    int part = Math.min(most, octets.length - at);
    if (part > 0) {
      stream.offer(octets, 0, at, part);
      at += part;
    }
  }

  /** Delivers some octets before those in front of them. */
  private void turnAround(int first, int second) {
    int front = Math.min(first, octets.length - at);
    int behind = Math.min(second, octets.length - at - front);
    if (behind > 0) {
      stream.offer(octets, 0, at + front, behind);
    }
    if (front > 0) {
      stream.offer(octets, 0, at, front);
    }
    at += front + behind;
  }

  private void disturb(int what) {
    switch (what & 7) {
      case 0 -> stream.setPacketsAvailable(false);
      case 1 -> stream.makeSendable();
      case 2 -> user.answer(true);
      case 3 -> user.answer(false);
      case 4 -> closeSend();
      case 5 -> stream.abort();
      case 6 -> stream.peerCloses();
      default -> stream.fireAlarm();
    }
    disturbed |= (what & 7) > 3 || (what & 7) == 0;
  }

  private void closeSend() {
    if (user.mpa() == null) {
      startup.closeSend();
    } else {
      user.mpa().closeSend();
    }
  }

  private void check() {
    Frames.require(user.error() == null || ALLOWED.contains(user.error()), "" + user.error());
    Frames.require(
        stream.packetsInUse() <= stream.earlySegments() + FOR_ONE_FPDU,
        stream.packetsInUse() + " are kept");
    boolean given = stream.isClosed() || stream.earlySegments() > 0 || stream.unconsumed() == 0;
    Frames.require(given, stream.unconsumed() + " octets are not given back");
    checkSent();
  }

  /** Checks that we send one frame, of our kind, as the settings say. */
  private void checkSent() {
    stream.endTurn();
    byte[] sent = stream.sent();
    if (sent.length == 0) {
      return;
    }
    String key = settings.startKey() ? START_KEY : initiator ? REQUEST : REPLY;
    String said =
        new String(sent, 0, Math.min(sent.length, key.length()), StandardCharsets.US_ASCII);
    Frames.require(said.equals(key), "our Key is " + said);
    int flags = sent[key.length()];
    boolean rdmac = !settings.startKey() && sent[17] == 0;
    Frames.require(((flags & M) != 0) == (settings.markers() || rdmac), "bit M of ours");
    Frames.require(((flags & C) != 0) == (settings.crc() || rdmac), "bit C of ours");
    if (!settings.startKey()) {
      int data = (sent[18] & 0xff) << 8 | (sent[19] & 0xff);
      Frames.require(data <= MOST_PRIVATE_DATA, "PD_Length of ours is " + data);
      Frames.require(sent.length == HEADER + data, "our frame has " + sent.length + " octets");
    }
  }

  /** The parsed frame must equal the fields of the octets. */
  private void judge() {
    boolean right = settings.startKey() ? rightStartKey() : rightFrame();
    boolean welcome = user.requested() || user.operating() || user.rejected();
    Frames.require(right || !welcome, "a wrong frame is taken");
    boolean settled = user.error() == MpaError.INSUFFICIENT_IRD;
    settled |= user.error() == MpaError.NO_MATCHING_RTR;
    if (right && !disturbed && length() == octets.length) {
      Frames.require(welcome || settled, "a right frame is not taken: " + user.error());
      Frames.require(user.error() == null || settled, "a right frame is an error");
    }
    if (welcome && !settings.startKey()) {
      checkTaken();
    }
  }

  private void checkTaken() {
    boolean declined = initiator && (octets[16] & R) != 0;
    Frames.require(!initiator || user.rejected() == declined, "bit R is not heard");
    int from = HEADER + (enhanced() ? ENHANCEMENT : 0);
    byte[] data = Arrays.copyOfRange(octets, from, length());
    Frames.require(Arrays.equals(user.privateData(), data), "other Private Data is handed up");
  }

  /** The length of the frame by its fields. */
  private int length() {
    if (settings.startKey()) {
      return START_KEY.length() + 1;
    }
    return HEADER + ((octets[18] & 0xff) << 8 | (octets[19] & 0xff));
  }

  private boolean enhanced() {
    return octets[17] == 2 && (octets[16] & S) != 0;
  }

  private boolean begins(String key) {
    byte[] expected = key.getBytes(StandardCharsets.US_ASCII);
    return Arrays.equals(Arrays.copyOf(octets, expected.length), expected);
  }

  private boolean rightStartKey() {
    return begins(START_KEY) && octets.length >= length() && (octets[15] & 0x0f) == 0;
  }

  private boolean rightFrame() {
    if (octets.length < HEADER || !begins(expectedKey()) || octets.length < length()) {
      return false;
    }
    int lowest = settings.permissive() ? 0 : 1;
    // A Request that asks for nothing of RFC 6581 has revision 1.
    boolean asks = settings.readsNegotiated() || settings.peerToPeer();
    int highest = initiator && !asks ? 1 : initiator ? settings.revision() : 2;
    int data = length() - HEADER;
    // A proposal with S set cannot be accepted without it (RFC 6581 section 6).
    boolean plain = initiator && octets[17] == 2 && (octets[16] & (S | R)) == 0;
    return !plain
        && octets[17] >= lowest
        && octets[17] <= highest
        && data <= MOST_PRIVATE_DATA
        && (!enhanced() || data >= ENHANCEMENT);
  }
}
