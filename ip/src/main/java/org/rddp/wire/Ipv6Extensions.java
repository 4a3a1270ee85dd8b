package org.rddp.wire;

/**
 * Walks the extension headers of a packet up to its transport header, or to a fragment (RFC 8200
 * section 4). A stack reuses a single instance.
 */
public final class Ipv6Extensions {
  /** The result of a walk. */
  public enum Outcome {
    /**
     * The packet has a payload: {@link #protocol}, {@link #payload} and {@link #length} describe
     * it.
     */
    PAYLOAD,
    /**
     * The packet is a fragment: {@link #fragment} is its header; its part of the datagram follows.
     */
    FRAGMENT,
    /** The packet has no payload, is cut short, or asks to be dropped. */
    DROP,
    /** A parameter problem with {@link #code} at {@link #pointer}. */
    PROBLEM,
    /** Like {@link #PROBLEM}, but reported only if the packet was sent to one host. */
    PROBLEM_UNLESS_MULTICAST
  }

  /** Packets with more extension headers are dropped; no real packet has as many (RFC 8504 5.3). */
  private static final int MOST_HEADERS = 8;

  /** Packets with more options in one header, padding excluded, are dropped (RFC 8504 5.3). */
  private static final int MOST_OPTIONS = 8;

  private static final int UNIT = 8;
  private static final int OPTIONS = 2;
  private static final int ROUTING_TYPE = 2;
  private static final int SEGMENTS_LEFT = 3;
  private static final int PAD_1 = 0;
  private static final int PAD_N = 1;
  private static final int ROUTER_ALERT = 5;

  /**
   * The protocol that follows the headers: TCP, ICMPv6, ESP or UDP; of a fragment, its next header.
   */
  public int protocol;

  /** Address of what follows. */
  public long payload;

  /** Octets of what follows. */
  public int length;

  /** Address of the fragment header; also of a whole packet that has one. 0 if there is none. */
  public long fragment;

  /** Code of the parameter problem. */
  public int code;

  /** Address of the octet that is the problem. */
  public long pointer;

  private long nextHeaderAt;

  /** Whether options and routing headers are skipped, whatever they ask for. */
  private boolean lenient;

  private Outcome outcome = Outcome.DROP;

  /** Whether ESP and UDP are payloads; otherwise they are unknown headers. */
  private final boolean esp;

  /**
   * Creates an instance that knows neither ESP nor UDP, without values; {@link #walk} sets them.
   */
  public Ipv6Extensions() {
    this(false);
  }

  /**
   * Creates an instance without values.
   *
   * @param esp whether ESP and UDP, which carries IKE, are payloads; otherwise they are unknown
   *     headers
   */
  public Ipv6Extensions(boolean esp) {
    this.esp = esp;
  }

  /** Walks the headers of a well-formed packet. */
  public Outcome walk(long packet) {
    nextHeaderAt = packet + 6;
    return walk(Ipv6.nextHeader(packet), packet + Ipv6.HEADER, Ipv6.payloadLength(packet), true);
  }

  /**
   * Walks the headers of a well-formed packet and ignores problems, to find out what it carries:
   * {@link #protocol} is the payload's, or an extension header that is cut short.
   */
  public Outcome walkBeyondProblems(long packet) {
    lenient = true;
    try {
      return walk(packet);
    } finally {
      lenient = false;
    }
  }

  /**
   * Walks the headers in the fragmentable part of a packet. Problems have no meaningful pointer.
   *
   * @param next what it begins with
   */
  public Outcome walkFragmentable(int next, long address, int octets) {
    nextHeaderAt = address;
    Outcome result = walk(next, address, octets, false);
    return result == Outcome.PAYLOAD ? result : Outcome.DROP;
  }

  private Outcome walk(int next, long address, int octets, boolean first) {
    protocol = next;
    payload = address;
    length = octets;
    fragment = 0;
    for (int headers = 0; headers < MOST_HEADERS; headers++) {
      boolean more =
          switch (protocol) {
            case Ipv6.HOP_BY_HOP -> hopByHop(first && headers == 0);
            case Ipv6.DESTINATION_OPTIONS -> options();
            case Ipv6.ROUTING -> routing();
            case Ipv6.FRAGMENT -> fragment();
            case Ipv4.PROTOCOL_TCP, Ipv6.ICMPV6 -> end(Outcome.PAYLOAD);
            case Ipv6.NOTHING -> end(Outcome.DROP);
            case Esp.PROTOCOL, Udp.PROTOCOL -> esp ? end(Outcome.PAYLOAD) : unknown();
            default -> unknown();
          };
      if (!more) {
        return outcome;
      }
    }
    return Outcome.DROP;
  }

  private boolean end(Outcome result) {
    outcome = result;
    return false;
  }

  private boolean problem(int problemCode, long at, Outcome result) {
    code = problemCode;
    pointer = at;
    return end(result);
  }

  private boolean unknown() {
    return problem(Icmpv6.UNKNOWN_NEXT_HEADER, nextHeaderAt, Outcome.PROBLEM_UNLESS_MULTICAST);
  }

  private boolean hopByHop(boolean allowed) {
    return allowed ? options() : unknown();
  }

  /** Octets of the header at {@link #payload}; 0 if it is cut short. */
  private int headerLength() {
    if (length < UNIT) {
      return 0;
    }
    int octets = (Memory.getByte(payload + 1) + 1) * UNIT;
    return octets <= length ? octets : 0;
  }

  private boolean skip(int octets) {
    nextHeaderAt = payload;
    protocol = Memory.getByte(payload);
    payload += octets;
    length -= octets;
    return true;
  }

  /** Skips options. The upper bits of an unknown option's type say what to do (section 4.2). */
  private boolean options() {
    int octets = headerLength();
    if (octets == 0) {
      return end(Outcome.DROP);
    }
    if (lenient) {
      return skip(octets);
    }
    long end = payload + octets;
    int options = 0;
    long at = payload + OPTIONS;
    while (at < end) {
      int type = Memory.getByte(at);
      if (type == PAD_1) {
        at++;
        continue;
      }
      if (at + 2 > end || at + 2 + Memory.getByte(at + 1) > end) {
        return problem(Icmpv6.WRONG_FIELD, at, Outcome.PROBLEM_UNLESS_MULTICAST);
      }
      if (type != PAD_N && (++options > MOST_OPTIONS || !mayContinue(type, at))) {
        return options > MOST_OPTIONS ? end(Outcome.DROP) : false;
      }
      at += 2 + Memory.getByte(at + 1);
    }
    return skip(octets);
  }

  private boolean mayContinue(int type, long at) {
    if (type == ROUTER_ALERT) {
      return true;
    }
    return switch (type >>> 6) {
      case 0 -> true;
      case 1 -> end(Outcome.DROP);
      case 2 -> problem(Icmpv6.UNKNOWN_OPTION, at, Outcome.PROBLEM);
      default -> problem(Icmpv6.UNKNOWN_OPTION, at, Outcome.PROBLEM_UNLESS_MULTICAST);
    };
  }

  /**
   * Skips a routing header without segments left and refuses any other: no type is supported, type
   * 0 is deprecated (RFC 5095).
   */
  private boolean routing() {
    int octets = headerLength();
    if (octets == 0) {
      return end(Outcome.DROP);
    }
    if (!lenient && Memory.getByte(payload + SEGMENTS_LEFT) != 0) {
      return problem(Icmpv6.WRONG_FIELD, payload + ROUTING_TYPE, Outcome.PROBLEM_UNLESS_MULTICAST);
    }
    return skip(octets);
  }

  private boolean fragment() {
    if (length < Ipv6Fragment.HEADER || fragment != 0) {
      return end(Outcome.DROP);
    }
    fragment = payload;
    boolean atomic = Ipv6Fragment.atomic(fragment);
    skip(Ipv6Fragment.HEADER);
    return atomic || end(Outcome.FRAGMENT);
  }
}
