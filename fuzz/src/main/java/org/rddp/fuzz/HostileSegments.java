package org.rddp.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Segments of every kind. Each field is right, nearly right or wrong, as the input says; the model
 * provides the right values.
 */
final class HostileSegments {
  private static final long PATTERN = 0x5a5a_5a5a_5a5a_5a5aL;

  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    2,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    0xffff_ffffL,
    0x1_0000_0000L,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -8,
    -256,
    0x100,
    0xff,
    0x80,
    0x40
  };

  private final FuzzInput input;
  private final List<ModelRegion> names;
  private final RdmaModel model;
  private int nextMo;
  private int number;

  HostileSegments(FuzzInput input, List<ModelRegion> names, RdmaModel model) {
    this.input = input;
    this.names = names;
    this.model = model;
  }

  private long near(long right) {
    int how = input.octet();
    if (how < 192) {
      return right;
    }
    if (how < 224) {
      return right + (how - 208);
    }
    if (how < 240) {
      return EXTREMES[how - 224];
    }
    long any = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      any = any << 8 | input.octet();
    }
    return any;
  }

  private byte[] filled(int octets) {
    byte[] payload = new byte[octets];
    number++;
    Arrays.fill(payload, (byte) number);
    return payload;
  }

  private byte[] payload() {
    int octets = input.octet();
    return filled(octets < 240 ? octets : input.unsignedShort() % 1400);
  }

  private ModelRegion named() {
    return names.get(input.octet() % names.size());
  }

  byte[] write(int choice) {
    ModelRegion sink = named();
    byte[] octets = payload();
    long to = sink.base + (choice & 3) * (sink.length - octets.length) / 3;
    int control = (choice & 4) == 0 ? 0xc1 : 0x81;
    return tagged(near(control), near(0x40), near(sink.stag), near(to), octets);
  }

  byte[] sendMessage(int opcode, boolean more) {
    ModelRegion revoked = named();
    byte[] octets = payload();
    long rest = opcode == 4 || opcode == 6 ? near(revoked.stag) : 0;
    int control = more ? 0x01 : 0x41;
    long msn = near(model.nextMsn(0));
    long mo = near(nextMo);
    nextMo = more ? nextMo + octets.length : 0;
    return untagged(near(control), near(0x40 | opcode), rest, near(0), msn, mo, octets);
  }

  /**
   * A short segment in the middle of a Send.
   *
   * @param choice how far apart they are, and whether they have octets at all
   */
  byte[] tiny(int choice) {
    int mo = nextMo;
    nextMo += 1 + (choice & 3);
    return untagged(0x01, 0x43, 0, 0, model.nextMsn(0), mo, filled(choice & 4));
  }

  byte[] readRequest() {
    ModelRegion source = named();
    ModelRegion sink = named();
    int size = input.octet();
    ByteBuffer request = ByteBuffer.allocate(28);
    request.putInt((int) near(sink.stag)).putLong(near(sink.base)).putInt((int) near(size));
    request.putInt((int) near(source.stag)).putLong(near(source.base));
    return onQueue(1, 1, request);
  }

  byte[] atomicRequest() {
    ModelRegion target = named();
    ByteBuffer request = ByteBuffer.allocate(52);
    request.putInt((int) near(input.octet() & 2)).putInt(number);
    request.putInt((int) near(target.stag)).putLong(near(target.base + 8L * (input.octet() & 7)));
    for (int i = 0; i < 4; i++) {
      request.putLong(near(PATTERN));
    }
    return onQueue(10, 1, request);
  }

  byte[] atomicResponse() {
    PendingRequest awaited = model.awaited();
    ByteBuffer response = ByteBuffer.allocate(12);
    response.putInt((int) near(awaited == null ? 0 : awaited.name)).putLong(near(number));
    return onQueue(11, 3, response);
  }

  byte[] terminate() {
    int length = 4 + input.octet() % 60;
    return onQueue(7, 2, ByteBuffer.wrap(raw(length)));
  }

  byte[] immediate(int choice) {
    return onQueue(8 + (choice & 1), 0, ByteBuffer.allocate(8).putLong(near(number)));
  }

  /** A message of one segment, of which octets may be missing, or there may be more. */
  private byte[] onQueue(int opcode, int qn, ByteBuffer message) {
    int octets = Math.clamp(near(message.capacity()), 0, 100);
    byte[] payload = new byte[octets];
    message.rewind().get(payload, 0, Math.min(octets, message.capacity()));
    long msn = near(model.nextMsn(qn));
    return untagged(near(0x41), near(0x40 | opcode), near(0), near(qn), msn, near(0), payload);
  }

  byte[] readResponse(int choice) {
    PendingRequest read = model.awaited();
    long stag = read == null ? 0 : read.name;
    long to = read == null ? 0 : read.next;
    int left = read == null ? 8 : read.left;
    int octets = (choice & 1) == 0 ? left : Math.min(left, input.octet());
    int control = octets == left ? 0xc1 : 0x81;
    byte[] payload = filled(Math.clamp(near(octets), 0, 600));
    return tagged(near(control), near(0x42), near(stag), near(to), payload);
  }

  /** Any octets. */
  byte[] raw(int length) {
    byte[] octets = new byte[length];
    for (int i = 0; i < length; i++) {
      octets[i] = (byte) input.octet();
    }
    return octets;
  }

  static byte[] tagged(long control, long rsvdUlp, long stag, long to, byte[] payload) {
    ByteBuffer segment = ByteBuffer.allocate(14 + payload.length);
    segment.put((byte) control).put((byte) rsvdUlp).putInt((int) stag).putLong(to).put(payload);
    return segment.array();
  }

  private static byte[] untagged(
      long control, long rsvdUlp, long rest, long qn, long msn, long mo, byte[] payload) {
    ByteBuffer segment = ByteBuffer.allocate(18 + payload.length);
    segment.put((byte) control).put((byte) rsvdUlp).putInt((int) rest);
    segment.putInt((int) qn).putInt((int) msn).putInt((int) mo).put(payload);
    return segment.array();
  }
}
