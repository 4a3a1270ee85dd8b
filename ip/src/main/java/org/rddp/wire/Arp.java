package org.rddp.wire;

/** The Address Resolution Protocol for IPv4 over Ethernet (RFC 826). */
public final class Arp {
  private static final int HARDWARE_TYPE = 0;
  private static final int PROTOCOL_TYPE = 2;
  private static final int HARDWARE_LENGTH = 4;
  private static final int PROTOCOL_LENGTH = 5;
  private static final int OPERATION = 6;
  private static final int SENDER_MAC = 8;
  private static final int SENDER_IP = 14;
  private static final int TARGET_MAC = 18;
  private static final int TARGET_IP = 24;

  /** Octets of a message. */
  public static final int LENGTH = 28;

  /** Operation: asks for the MAC address of the target. */
  public static final int REQUEST = 1;

  /** Operation: the sender answers a request. */
  public static final int REPLY = 2;

  private static final int ETHERNET = 1;

  private Arp() {}

  /** Whether the octets hold a whole message about IPv4 over Ethernet. */
  public static boolean wellFormed(long message, int length) {
    return length >= LENGTH
        && Memory.getShort(message + HARDWARE_TYPE) == ETHERNET
        && Memory.getShort(message + PROTOCOL_TYPE) == Ethernet.TYPE_IPV4
        && Memory.getByte(message + HARDWARE_LENGTH) == 6
        && Memory.getByte(message + PROTOCOL_LENGTH) == 4;
  }

  /** The operation: {@link #REQUEST}, {@link #REPLY}, or one that is not known here. */
  public static int operation(long message) {
    return Memory.getShort(message + OPERATION);
  }

  /** The sender's MAC address. */
  public static long senderMac(long message) {
    return Ethernet.address(message + SENDER_MAC);
  }

  /** The sender's IPv4 address. */
  public static int senderIp(long message) {
    return Memory.getInt(message + SENDER_IP);
  }

  /** The target's MAC address; without meaning in a request. */
  public static long targetMac(long message) {
    return Ethernet.address(message + TARGET_MAC);
  }

  /** The target's IPv4 address. */
  public static int targetIp(long message) {
    return Memory.getInt(message + TARGET_IP);
  }

  /** Writes a whole message. */
  public static void write(
      long message, int operation, long senderMac, int senderIp, long targetMac, int targetIp) {
    Memory.putShort(message + HARDWARE_TYPE, ETHERNET);
    Memory.putShort(message + PROTOCOL_TYPE, Ethernet.TYPE_IPV4);
    Memory.putByte(message + HARDWARE_LENGTH, 6);
    Memory.putByte(message + PROTOCOL_LENGTH, 4);
    Memory.putShort(message + OPERATION, operation);
    Ethernet.putAddress(message + SENDER_MAC, senderMac);
    Memory.putInt(message + SENDER_IP, senderIp);
    Ethernet.putAddress(message + TARGET_MAC, targetMac);
    Memory.putInt(message + TARGET_IP, targetIp);
  }
}
