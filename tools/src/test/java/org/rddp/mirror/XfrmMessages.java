package org.rddp.mirror;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Messages as Linux's kernel sends them (include/uapi/linux/xfrm.h). */
@SuppressWarnings("ByteBufferBackingArray") // All are allocated here.
final class XfrmMessages {
  static final int NEWSA = 0x10;
  static final int UPDSA = 0x1a;
  static final int MULTI = 2;
  private static final int HEADER = 16;
  private static final int INFO = 224;
  private static final int ESP = 50;
  private static final String GCM = "rfc4106(gcm(aes))";

  private XfrmMessages() {}

  static InetAddress address(String literal) {
    return new InetSocketAddress(literal, 0).getAddress();
  }

  private static ByteBuffer message(int type, int flags, int octets) {
    return ByteBuffer.allocate(HEADER + octets)
        .order(ByteOrder.nativeOrder())
        .putInt(HEADER + octets)
        .putShort((short) type)
        .putShort((short) flags)
        .position(0);
  }

  private static short family(InetAddress address) {
    return (short) (address instanceof Inet4Address ? 2 : 10);
  }

  private static void big(ByteBuffer to, int at, int value) {
    to.putInt(
        at, ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value));
  }

  private static void port(ByteBuffer to, int at, int port) {
    big(to, at, port << 16 | (port == 0 ? 0 : 0xffff));
  }

  /** An association of ESP in transport mode for TCP, without keys. */
  static ByteBuffer association(int type, int flags, int spi, String from, String to) {
    InetAddress source = address(from);
    InetAddress destination = address(to);
    ByteBuffer message = message(type, flags, INFO);
    int at = HEADER;
    message.put(at, destination.getAddress());
    message.put(at + 16, source.getAddress());
    message.putShort(at + 40, family(source));
    message.put(at + 42, (byte) (8 * source.getAddress().length));
    message.put(at + 43, (byte) (8 * source.getAddress().length));
    message.put(at + 44, (byte) 6);
    message.put(at + 56, destination.getAddress());
    big(message, at + 72, spi);
    message.put(at + 76, (byte) ESP);
    message.put(at + 80, source.getAddress());
    for (int limit = 96; limit < 128; limit += Long.BYTES) {
      message.putLong(at + limit, -1);
    }
    message.putShort(at + 212, family(source));
    message.put(at + 215, (byte) 32);
    return message;
  }

  static ByteBuffer limits(
      ByteBuffer message, long softOctets, long hardOctets, long soft, long hard) {
    message.putLong(HEADER + 96, softOctets);
    message.putLong(HEADER + 104, hardOctets);
    message.putLong(HEADER + 128, soft);
    message.putLong(HEADER + 136, hard);
    return message;
  }

  static ByteBuffer ports(ByteBuffer message, int destination, int source) {
    port(message, HEADER + 32, destination);
    port(message, HEADER + 36, source);
    return message;
  }

  /** Appends an attribute. */
  static ByteBuffer with(ByteBuffer message, int type, byte[] value) {
    int length = 4 + value.length;
    ByteBuffer longer =
        ByteBuffer.wrap(Arrays.copyOf(message.array(), message.capacity() + length + 3 & ~3))
            .order(ByteOrder.nativeOrder());
    longer.putShort(message.capacity(), (short) length);
    longer.putShort(message.capacity() + 2, (short) type);
    longer.put(message.capacity() + 4, value);
    longer.putInt(0, longer.capacity());
    return longer;
  }

  /**
   * The value of an attribute of an algorithm, with the length of a part behind that of the key.
   */
  static byte[] algorithm(String name, byte[] key, int... bits) {
    ByteBuffer value =
        ByteBuffer.allocate(68 + 4 * bits.length + key.length).order(ByteOrder.nativeOrder());
    value.put(name.getBytes(StandardCharsets.US_ASCII)).position(64);
    value.putInt(8 * key.length);
    for (int each : bits) {
      value.putInt(each);
    }
    return value.put(key).array();
  }

  /** An association with AES-GCM, extended sequence numbers and a window of 1024. */
  static ByteBuffer gcm(int type, int flags, int spi, String from, String to, byte[] key) {
    ByteBuffer message = association(type, flags, spi, from, to);
    message.put(HEADER + 216, (byte) 128);
    ByteBuffer replay = ByteBuffer.allocate(24 + 128).order(ByteOrder.nativeOrder());
    replay.putInt(0, 32).putInt(20, 1024);
    return with(with(message, 18, algorithm(GCM, key, 128)), 23, replay.array());
  }

  static ByteBuffer deleted(int spi, String to) {
    InetAddress destination = address(to);
    ByteBuffer message = message(0x11, 0, 24);
    message.put(HEADER, destination.getAddress());
    big(message, HEADER + 16, spi);
    message.putShort(HEADER + 20, family(destination));
    message.put(HEADER + 22, (byte) ESP);
    return message;
  }

  static ByteBuffer expired(int spi, String from, String to, boolean hard) {
    ByteBuffer info = association(NEWSA, 0, spi, from, to);
    ByteBuffer message = message(0x18, 0, INFO + 8);
    message.put(HEADER, info.array(), HEADER, INFO);
    message.put(HEADER + INFO, (byte) (hard ? 1 : 0));
    return message;
  }

  static ByteBuffer flushed() {
    return message(0x1c, 0, 4);
  }

  static ByteBuffer dumped() {
    return message(3, MULTI, 4);
  }

  static ByteBuffer error(int number) {
    return message(2, 0, 20).putInt(HEADER, -number);
  }
}
