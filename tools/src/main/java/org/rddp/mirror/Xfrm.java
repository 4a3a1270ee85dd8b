package org.rddp.mirror;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.ipc.control.SecretOctets;

/**
 * Messages of NETLINK_XFRM (Linux's include/uapi/linux/xfrm.h): reads those of the kernel, and
 * makes those for it. Messages that are cut short, and those of other kinds, are ignored.
 */
public final class Xfrm {
  // Types of messages.
  private static final int ERROR = 2;
  private static final int DONE = 3;
  private static final int NEWSA = 0x10;
  private static final int DELSA = 0x11;
  private static final int GETSA = 0x12;
  private static final int EXPIRE = 0x18;
  private static final int UPDSA = 0x1a;
  private static final int FLUSHSA = 0x1c;

  private static final int FLAG_REQUEST = 1;
  private static final int FLAG_ACK = 4;
  private static final int FLAG_DUMP = 0x300;
  private static final int HEADER = 16;
  private static final int ALIGNMENT = 3;

  // Attributes, and the octets in front of the key in those of algorithms.
  private static final int ATTRIBUTE_HEADER = 4;
  private static final int ATTRIBUTE_TYPE = 0x3fff;
  private static final int CRYPT = 2;
  private static final int ENCAP = 4;
  private static final int AEAD = 18;
  private static final int AUTH_TRUNC = 20;
  private static final int REPLAY_ESN = 23;
  private static final int ALGORITHM_NAME = 64;
  private static final int CRYPT_KEY = 68;
  private static final int AUTH_KEY = 72;
  private static final int ESN_WINDOW = 20;

  // struct xfrm_usersa_info, and in it struct xfrm_selector at 0, and struct xfrm_lifetime_cfg.
  private static final int INFO = 224;
  private static final int SELECTOR_DESTINATION = 0;
  private static final int SELECTOR_SOURCE = 16;
  private static final int SELECTOR_DESTINATION_PORT = 32;
  private static final int SELECTOR_SOURCE_PORT = 36;
  private static final int SELECTOR_FAMILY = 40;
  private static final int SELECTOR_DESTINATION_PREFIX = 42;
  private static final int SELECTOR_SOURCE_PREFIX = 43;
  private static final int SELECTOR_PROTOCOL = 44;
  private static final int DESTINATION = 56;
  private static final int SPI = 72;
  private static final int PROTOCOL = 76;
  private static final int SOURCE = 80;
  private static final int SOFT_OCTETS = 96;
  private static final int HARD_OCTETS = 104;
  private static final int SOFT_PACKETS = 112;
  private static final int HARD_PACKETS = 120;
  private static final int SOFT_SECONDS = 128;
  private static final int HARD_SECONDS = 136;
  private static final int FAMILY = 212;
  private static final int MODE = 214;
  private static final int WINDOW = 215;
  private static final int FLAGS = 216;
  private static final int FLAG_ESN = 128;

  // struct xfrm_usersa_id, and struct xfrm_user_expire behind INFO.
  private static final int ID = 24;
  private static final int ID_SPI = 16;
  private static final int ID_FAMILY = 20;
  private static final int ID_PROTOCOL = 22;
  private static final int EXPIRE_OCTETS = 232;

  private static final int ESP = 50;
  private static final int TCP = 6;
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int IPV6_OCTETS = 16;
  private static final int LEAST_WINDOW = 32;
  private static final int MOST_WINDOW = 65_536;
  private static final int MOST_KEY = 64;

  /** Packets after which an association without extended numbers is to be replaced. */
  private static final long LAST_PACKETS = 0xfff0_0000L;

  /** The kernel's names of algorithms, with the octets of key and ICV, and ours. */
  private static final Map<String, String> SUITES =
      Map.of(
          "rfc4106(gcm(aes)) 20 16", "aes128gcm16",
          "rfc4106(gcm(aes)) 36 16", "aes256gcm16",
          "cbc(aes) 16 hmac(sha1) 20 12", "aes128-sha1",
          "cbc(aes) 32 hmac(sha1) 20 12", "aes256-sha1",
          "cbc(aes) 16 hmac(sha256) 32 16", "aes128-sha256",
          "cbc(aes) 32 hmac(sha256) 32 16", "aes256-sha256",
          "ecb(cipher_null) 0 hmac(sha1) 20 12", "null-sha1",
          "ecb(cipher_null) 0 hmac(sha256) 32 16", "null-sha256");

  private final Set<InetAddress> ours;

  /**
   * Creates a reader for an interface.
   *
   * @param ours its addresses; associations of others are ignored
   */
  public Xfrm(Set<InetAddress> ours) {
    this.ours = Set.copyOf(ours);
  }

  /** A request for all associations. */
  static byte[] dump() {
    return message(GETSA, FLAG_REQUEST | FLAG_DUMP, 0);
  }

  /**
   * Tells the kernel that the lifetime of an association is over. It tells the daemon of IKE.
   *
   * @param hard whether the association goes now; otherwise another should take its place
   */
  public static byte[] expire(KernelAssociation.Name name, boolean hard) {
    byte[] octets = message(EXPIRE, FLAG_REQUEST | FLAG_ACK, EXPIRE_OCTETS);
    ByteBuffer message = ByteBuffer.wrap(octets);
    message.put(HEADER + DESTINATION, name.destination().getAddress());
    message.order(ByteOrder.BIG_ENDIAN).putInt(HEADER + SPI, name.spi());
    message.order(ByteOrder.nativeOrder());
    message.put(HEADER + PROTOCOL, (byte) ESP);
    boolean ipv4 = name.destination() instanceof Inet4Address;
    message.putShort(HEADER + FAMILY, (short) (ipv4 ? AF_INET : AF_INET6));
    message.put(HEADER + INFO, (byte) (hard ? 1 : 0));
    return octets;
  }

  private static byte[] message(int type, int flags, int octets) {
    return ByteBuffer.allocate(HEADER + octets)
        .order(ByteOrder.nativeOrder())
        .putInt(HEADER + octets)
        .putShort((short) type)
        .putShort((short) flags)
        .array();
  }

  /** Reads messages, in native byte order, from the buffer's position to its limit. */
  public void read(ByteBuffer messages, XfrmEvents events) {
    int at = messages.position();
    while (messages.limit() - at >= HEADER) {
      int length = messages.getInt(at);
      if (length < HEADER || length > messages.limit() - at) {
        return;
      }
      int type = messages.getShort(at + 4);
      ByteBuffer body = messages.slice(at + HEADER, length - HEADER).order(ByteOrder.nativeOrder());
      message(type, body, events);
      int padded = length + ALIGNMENT & ~ALIGNMENT;
      if (padded > messages.limit() - at) {
        return;
      }
      at += padded;
    }
  }

  private void message(int type, ByteBuffer body, XfrmEvents events) {
    switch (type) {
      case NEWSA, UPDSA -> {
        if (body.limit() >= INFO && body.get(PROTOCOL) == ESP && concernsUs(body)) {
          try (KernelAssociation association = association(body)) {
            if (association != null) {
              events.onAssociation(association);
            }
          }
        }
      }
      case DELSA -> {
        if (body.limit() >= ID && body.get(ID_PROTOCOL) == ESP) {
          InetAddress destination = address(body, 0, body.getShort(ID_FAMILY));
          if (destination != null) {
            events.onDeleted(new KernelAssociation.Name(spi(body, ID_SPI), destination));
          }
        }
      }
      case EXPIRE -> {
        if (body.limit() >= EXPIRE_OCTETS && body.get(INFO) != 0 && body.get(PROTOCOL) == ESP) {
          InetAddress destination = address(body, DESTINATION, body.getShort(FAMILY));
          if (destination != null) {
            events.onExpired(new KernelAssociation.Name(spi(body, SPI), destination));
          }
        }
      }
      case FLUSHSA -> events.onFlushed();
      case DONE -> events.onDumped();
      case ERROR -> {
        if (body.limit() >= Integer.BYTES && body.getInt(0) != 0) {
          events.onRefused(-body.getInt(0));
        }
      }
      default -> {}
    }
  }

  private boolean concernsUs(ByteBuffer info) {
    InetAddress source = address(info, SOURCE, info.getShort(FAMILY));
    InetAddress destination = address(info, DESTINATION, info.getShort(FAMILY));
    return source != null
        && destination != null
        && ours.contains(source) != ours.contains(destination);
  }

  private static InetAddress address(ByteBuffer body, int at, int family) {
    if (family != AF_INET && family != AF_INET6) {
      return null;
    }
    byte[] octets = new byte[family == AF_INET ? Integer.BYTES : IPV6_OCTETS];
    body.get(at, octets);
    try {
      return InetAddress.getByAddress(octets);
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 octets are an address", e);
    }
  }

  private static int spi(ByteBuffer body, int at) {
    return bigEndian(body).getInt(at);
  }

  private static int port(ByteBuffer body, int at) {
    return bigEndian(body).getShort(at) & 0xffff;
  }

  private static ByteBuffer bigEndian(ByteBuffer body) {
    return body.duplicate().order(ByteOrder.BIG_ENDIAN);
  }

  /** What is behind the fixed part of an association. */
  private static final class Attributes {
    String suite = "";
    byte[] encryption = {};
    byte[] integrity = {};
    boolean encapsulated;
    int window;

    void read(ByteBuffer body) {
      String crypt = "";
      String auth = "";
      int at = INFO;
      while (body.limit() - at >= ATTRIBUTE_HEADER) {
        int length = body.getShort(at) & 0xffff;
        if (length < ATTRIBUTE_HEADER || length > body.limit() - at) {
          break;
        }
        ByteBuffer value =
            body.slice(at + ATTRIBUTE_HEADER, length - ATTRIBUTE_HEADER)
                .order(ByteOrder.nativeOrder());
        switch (body.getShort(at + 2) & ATTRIBUTE_TYPE) {
          case AEAD -> {
            encryption = key(value, AUTH_KEY, encryption);
            crypt = name(value, encryption) + icv(value);
          }
          case CRYPT -> {
            encryption = key(value, CRYPT_KEY, encryption);
            crypt = name(value, encryption);
          }
          case AUTH_TRUNC -> {
            integrity = key(value, AUTH_KEY, integrity);
            auth = " " + name(value, integrity) + icv(value);
          }
          case ENCAP -> encapsulated = true;
          case REPLAY_ESN ->
              window = value.limit() >= ESN_WINDOW + Integer.BYTES ? value.getInt(ESN_WINDOW) : 0;
          default -> {}
        }
        at += Math.min(length + ALIGNMENT & ~ALIGNMENT, body.limit() - at);
      }
      suite = crypt + auth;
    }

    /** An algorithm's name and octets of key that are there. */
    private static String name(ByteBuffer value, byte[] key) {
      if (value.limit() < CRYPT_KEY) {
        return "?";
      }
      int end = 0;
      while (end < ALGORITHM_NAME && value.get(end) != 0) {
        end++;
      }
      byte[] octets = new byte[end];
      value.get(0, octets);
      String printable =
          new String(octets, StandardCharsets.US_ASCII).replaceAll("[^\\x20-\\x7e]", "?");
      return printable + " " + key.length;
    }

    private static String icv(ByteBuffer value) {
      int bits = value.limit() < AUTH_KEY ? -1 : value.getInt(CRYPT_KEY);
      return " " + bits / Byte.SIZE;
    }

    /** The key of an algorithm, in place of an earlier one; none if it is cut short. */
    private static byte[] key(ByteBuffer value, int at, byte[] earlier) {
      Arrays.fill(earlier, (byte) 0);
      int octets = value.limit() < at ? 0 : value.getInt(ALGORITHM_NAME) / Byte.SIZE;
      byte[] key =
          new byte[octets < 0 || octets > Math.min(MOST_KEY, value.limit() - at) ? 0 : octets];
      if (key.length > 0) {
        value.get(at, key);
      }
      return key;
    }

    /** Both keys; they are overwritten here. */
    byte[] takeKeys() {
      byte[] keys = Arrays.copyOf(encryption, encryption.length + integrity.length);
      System.arraycopy(integrity, 0, keys, encryption.length, integrity.length);
      Arrays.fill(encryption, (byte) 0);
      Arrays.fill(integrity, (byte) 0);
      return keys;
    }
  }

  /** Reads an association; null if it has no keys yet, as while IKE has only chosen its SPI. */
  private KernelAssociation association(ByteBuffer info) {
    Attributes attributes = new Attributes();
    attributes.read(info);
    byte[] keys = attributes.takeKeys();
    if (attributes.suite.isEmpty()) {
      return null;
    }
    InetAddress destination = address(info, DESTINATION, info.getShort(FAMILY));
    String problem = problem(info, attributes, keys);
    return new KernelAssociation(
        spi(info, SPI),
        destination,
        problem.isEmpty() ? settings(info, attributes) : null,
        limits(info),
        new SecretOctets(keys),
        problem);
  }

  private static String problem(ByteBuffer info, Attributes attributes, byte[] keys) {
    int protocol = info.get(SELECTOR_PROTOCOL) & 0xff;
    if (attributes.encapsulated) {
      return "it is in UDP, as behind address translation, which rddp does not have: set encap = no"
          + " at both ends, which must reach each other without translation";
    }
    if (protocol != 0 && protocol != TCP) {
      return "it is for the protocol " + protocol + ", and rddp has TCP only";
    }
    if (info.get(MODE) != 0 && info.get(MODE) != 1) {
      return "its mode is neither transport nor tunnel";
    }
    if (keys.length == 0) {
      return "the kernel's message has no keys";
    }
    if (!SUITES.containsKey(attributes.suite)) {
      return "rddp does not have its algorithms, '%s'; set esp_proposals to one that it has, such as aes128gcm16-esn"
          .formatted(attributes.suite);
    }
    if (isZero(keys)) {
      return "the kernel hides its keys, since it is locked down for confidentiality"
          + " (/sys/kernel/security/lockdown)";
    }
    if (!isWholePort(info, SELECTOR_SOURCE_PORT) || !isWholePort(info, SELECTOR_DESTINATION_PORT)) {
      return "it is for a range of ports; rddp takes one port or all";
    }
    return "";
  }

  /** Whether the mask of a port says one or all. */
  private static boolean isWholePort(ByteBuffer info, int at) {
    int mask = port(info, at + Short.BYTES);
    return mask == 0 || mask == 0xffff;
  }

  private static boolean isZero(byte[] keys) {
    int any = 0;
    for (byte each : keys) {
      any |= each;
    }
    return any == 0;
  }

  private SecurityAssociation settings(ByteBuffer info, Attributes attributes) {
    int family = info.getShort(FAMILY);
    InetAddress source = address(info, SOURCE, family);
    InetAddress destination = address(info, DESTINATION, family);
    boolean receives = ours.contains(destination);
    boolean tunnel = info.get(MODE) == 1;
    int window = attributes.window == 0 ? info.get(WINDOW) & 0xff : attributes.window;
    int sourcePort = port(info, SELECTOR_SOURCE_PORT);
    int destinationPort = port(info, SELECTOR_DESTINATION_PORT);
    return new SecurityAssociation(
        spi(info, SPI),
        source.getHostAddress(),
        destination.getHostAddress(),
        tunnel,
        SUITES.get(attributes.suite),
        isExtended(info),
        window == 0 ? 0 : Math.clamp(window, LEAST_WINDOW, MOST_WINDOW),
        tunnel ? remote(info, receives) : "",
        info.get(SELECTOR_PROTOCOL) == TCP,
        receives ? destinationPort : sourcePort,
        receives ? sourcePort : destinationPort,
        limit(info, SOFT_OCTETS),
        limit(info, HARD_OCTETS),
        limit(info, SOFT_SECONDS),
        limit(info, HARD_SECONDS));
  }

  /**
   * The peers that it is for; empty, the other host, if the kernel does not say: strongSwan says it
   * in policies only.
   */
  private static String remote(ByteBuffer info, boolean receives) {
    InetAddress first =
        address(
            info,
            receives ? SELECTOR_SOURCE : SELECTOR_DESTINATION,
            info.getShort(SELECTOR_FAMILY));
    int bits = info.get(receives ? SELECTOR_SOURCE_PREFIX : SELECTOR_DESTINATION_PREFIX) & 0xff;
    return first == null || bits == 0 || bits > first.getAddress().length * Byte.SIZE
        ? ""
        : first.getHostAddress() + "/" + bits;
  }

  /**
   * The limits of which the daemon counts; without extended numbers, 2^32 - 1 packets can be sent.
   */
  private static KernelAssociation.Limits limits(ByteBuffer info) {
    long softPackets = limit(info, SOFT_PACKETS);
    if (!isExtended(info) && (softPackets == 0 || softPackets > LAST_PACKETS)) {
      softPackets = LAST_PACKETS;
    }
    return new KernelAssociation.Limits(
        limit(info, SOFT_OCTETS), limit(info, HARD_OCTETS), softPackets, limit(info, HARD_PACKETS));
  }

  private static boolean isExtended(ByteBuffer info) {
    return (info.getInt(FLAGS) & FLAG_ESN) != 0;
  }

  /** A limit, 0 for none: the kernel says 2^64 - 1, or 0 for times. */
  private static long limit(ByteBuffer info, int at) {
    long limit = info.getLong(at);
    return limit < 0 ? 0 : limit;
  }
}
