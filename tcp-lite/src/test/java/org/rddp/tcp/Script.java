package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.ScriptedDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.wire.AccEcn;
import org.rddp.wire.Arp;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * A stack and the script of what happens to it: segments that arrive and segments that must leave,
 * written as text.
 *
 * <p>A segment is {@code FLAGS key value ...}: the flags are letters (S F R P U E W A, and {@code
 * .} for ACK), then in any order {@code seq}, {@code ack}, {@code win}, {@code len}, {@code mss},
 * {@code ws}, {@code ts} and {@code ecr}, {@code ecn} (the codepoint in IP's header), {@code dscp},
 * {@code ace} (the flags of a counter), {@code acc} with the kind and the counters of an AccECN
 * option such as {@code 172:1,0,1} ({@code -} expects none), {@code sackok} ({@code sackno} expects
 * none), and {@code sack} with blocks such as {@code 101-201,301-401} ({@code -} expects none).
 * Numbers count from each end's SYN, which is 0; so the first octet is 1. Each payload octet is the
 * low eight bits of its sequence number. In an expected segment the flags (but for P) and the
 * length, 0 unless given, must be the same; of the rest only the given keys.
 */
final class Script {
  static final long MILLISECOND = 1_000_000;
  static final long SECOND = 1000 * MILLISECOND;
  static final Ipv4Address OURS = Ipv4Address.parse("10.0.0.1");
  static final Ipv4Address THEIRS = Ipv4Address.parse("10.0.0.2");
  static final Ipv4Address ROUTER = Ipv4Address.parse("192.0.2.1");
  static final long THEIR_MAC = 0x02_00_00_00_00_02L;
  private static final Pattern BLOCK = Pattern.compile("(\\d+)-(\\d+)");
  private static final int THEIR_SEQUENCE = 0xfffff000;
  private static final int HEADERS = Ethernet.HEADER + Ipv4.HEADER;

  final NativePacketPool pool = new NativePacketPool(512, 9100, 32, 16_000);
  final ScriptedDevice device;
  TcpStack stack;
  final Recorder handler = new Recorder();
  TcpStream stream;
  long now = 5 * SECOND;
  int ourPort;
  int theirPort;
  int ourSequence;
  private final Supplier<TcpStack> stacks;
  private final long frame = Memory.allocate(20_000);
  private final TcpOptions options = new TcpOptions();
  private Ipv4Address source = THEIRS;

  Script() {
    this(plain(), 1500);
  }

  Script(TcpSettings settings) {
    this(settings, 1500);
  }

  Script(TcpSettings settings, int mtu) {
    this(settings, mtu, device -> device);
  }

  /** A stack whose device is made of the scripted one. */
  Script(TcpSettings settings, int mtu, UnaryOperator<FrameDevice> wrap) {
    device = new ScriptedDevice(pool, mtu);
    stacks =
        () ->
            new TcpStack(
                wrap.apply(device),
                new InterfaceAddress(OURS, 24),
                settings,
                new SplittableRandom(42),
                now);
    stack = stacks.get();
  }

  /** Settings without options, so that scripts can leave them out, and with the simplest window. */
  static TcpSettings plain() {
    return TcpSettings.DEFAULTS
        .withWindowScale(false)
        .withTimestamps(false)
        .withEcn(false)
        .withAccurateEcn(AccurateEcn.OFF)
        .withSelectiveAcknowledgment(false)
        .withCongestion(CongestionAlgorithm.NEW_RENO)
        .withPacedRoundTrip(Long.MAX_VALUE)
        .withReceiveBuffer(20_000);
  }

  /** A connection that we have opened; the peer's window is 65535, its MSS 1000. */
  static Script established() {
    return established(plain());
  }

  static Script established(TcpSettings settings) {
    Script script = new Script(settings);
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("open");
    return script;
  }

  void connect() {
    theirPort = 7;
    TcpConnection connection = stack.connect(THEIRS, theirPort, handler);
    stream = connection;
    ourPort = connection.localPort();
    turn();
  }

  /** Listens on port 7 and lets a peer's port 40000 come. */
  void listen(Acceptor acceptor) {
    ourPort = 7;
    theirPort = 40000;
    stack.listen(ourPort, acceptor);
  }

  void listen() {
    listen((opened, address, port) -> {
      assertThat(address).isEqualTo(THEIRS);
      assertThat(port).isEqualTo(theirPort);
      stream = opened;
      return handler;
    });
  }

  /** TSval of the segment that was expected last. */
  int lastTimestamp() {
    return options.timestampValue();
  }

  /** The state of the connection. */
  TcpState state() {
    return ((TcpConnection) stream).state();
  }

  /** Our user closes its half, and the FIN leaves. */
  void close() {
    stream.closeSend();
    turn();
  }

  /** The stack's state, written to a snapshot. */
  byte[] snapshot() {
    SnapshotWriter writer = new SnapshotWriter();
    List<TcpConnection> ignored = stack.write(writer);
    return writer.finish();
  }

  /** Another stack goes on from a snapshot with a listener and at most one connection. */
  void goOn(byte[] snapshot) {
    stack.retire();
    stack = stacks.get();
    SnapshotReader reader = new SnapshotReader(snapshot);
    List<TcpConnection> connections = stack.read(reader, now);
    reader.finish();
    if (stack.listener(ourPort) != null) {
      stack.listener(ourPort).resume((opened, address, from) -> handler);
    }
    for (TcpConnection each : connections) {
      each.resume(handler);
      handler.stream = each;
      stream = each;
      ourPort = each.localPort();
      theirPort = each.remotePort();
      ourSequence = each.sender.sequence(-1);
    }
  }

  /** One turn of the duty cycle. */
  void turn() {
    stack.receive(now);
    stack.advance(now);
    stack.transmit(now);
  }

  /** Lets time pass, then runs a turn. */
  void pass(long nanoseconds) {
    now += nanoseconds;
    turn();
  }

  /** A segment arrives, and a turn runs. */
  void receive(String segment) {
    put(segment);
    turn();
  }

  /** A segment arrives from another address. */
  void receiveFrom(Ipv4Address address, String segment) {
    source = address;
    receive(segment);
    source = THEIRS;
  }

  /** Several segments arrive in one burst. */
  void receiveTogether(String... segments) {
    for (String segment : segments) {
      put(segment);
    }
    turn();
  }

  private void put(String text) {
    device.put(build(text));
  }

  /** The frame of a segment from the peer. */
  byte[] build(String text) {
    long tcp = frame + HEADERS;
    long option = tcp + Tcp.HEADER;
    long sum = 0;
    if (has(text, "mss")) {
      sum += TcpOptions.putMss(option, number(text, "mss", 0));
      option += TcpOptions.MSS_LENGTH;
    }
    if (has(text, "ws")) {
      sum += TcpOptions.putWindowScale(option, number(text, "ws", 0));
      option += TcpOptions.WINDOW_SCALE_LENGTH;
    }
    if (hasWord(text, "sackok")) {
      sum += TcpOptions.putSackPermitted(option);
      option += TcpOptions.SACK_PERMITTED_LENGTH;
    }
    if (has(text, "sack")) {
      Matcher blocks = BLOCK.matcher(word(text, "sack"));
      sum += TcpOptions.putSack(option, (int) blocks.results().count());
      option += TcpOptions.SACK_LENGTH;
      blocks.reset();
      while (blocks.find()) {
        int left = ourSequence + Integer.parseInt(blocks.group(1));
        int right = ourSequence + Integer.parseInt(blocks.group(2));
        sum += TcpOptions.putSackBlock(option, left, right);
        option += TcpOptions.SACK_BLOCK_LENGTH;
      }
    }
    if (has(text, "ts")) {
      sum += TcpOptions.putTimestamps(option, number(text, "ts", 0), number(text, "ecr", 0));
      option += TcpOptions.TIMESTAMPS_LENGTH;
    }
    if (has(text, "acc")) {
      long end = putAccurate(option, word(text, "acc"));
      sum += Checksum.sum(option, (int) (end - option));
      option = end;
    }
    int header = (int) (option - tcp);
    int length = number(text, "len", 0);
    int sequence = number(text, "seq", 0);
    for (int i = 0; i < length; i++) {
      Memory.putByte(option + i, sequence + i);
    }
    int flags = flags(text.substring(0, text.indexOf(' '))) | AccEcn.flags(number(text, "ace", 0));
    int acknowledgment = (flags & Tcp.ACK) != 0 ? ourSequence + number(text, "ack", 0) : 0;
    int window = number(text, "win", 65535);
    int theirs = THEIR_SEQUENCE + sequence;
    sum += Tcp.write(tcp, theirPort, ourPort, theirs, acknowledgment, header, flags, window);
    sum += Checksum.sum(option, length);
    int total = header + length;
    sum += Checksum.pseudoHeader(source.bits(), OURS.bits(), Ipv4.PROTOCOL_TCP, total);
    Tcp.putChecksum(tcp, sum);
    long ip = frame + Ethernet.HEADER;
    int ecn = number(text, "ecn", 0);
    Ipv4.write(ip, Ipv4.HEADER + total, Ipv4.PROTOCOL_TCP, source.bits(), OURS.bits(), ecn);
    Ethernet.write(frame, ScriptedDevice.OUR_MAC, THEIR_MAC, Ethernet.TYPE_IPV4);
    return Memory.bytes(frame, HEADERS + total);
  }

  /**
   * An ICMP error arrives about a segment of ours, and a turn runs.
   *
   * @param sequence of the segment that it quotes
   * @param length octets of the packet that it quotes
   * @param mtu of the next hop, if that is what it is about
   */
  void receiveIcmp(int type, int code, int sequence, int length, int mtu) {
    long message = frame + HEADERS;
    long quoted = message + Icmpv4.HEADER;
    Ipv4.write(quoted, length, Ipv4.PROTOCOL_TCP, OURS.bits(), THEIRS.bits());
    long tcp = quoted + Ipv4.HEADER;
    Tcp.write(tcp, ourPort, theirPort, ourSequence + sequence, 0, Tcp.HEADER, Tcp.ACK, 0);
    int total = Icmpv4.HEADER + Ipv4.HEADER + 8;
    Memory.putLong(message, 0);
    Memory.putShort(message, (type << 8) | code);
    Memory.putShort(message + 6, mtu);
    Memory.putShort(message + 2, Checksum.field(Checksum.sum(message, total)));
    long ip = frame + Ethernet.HEADER;
    Ipv4.write(ip, Ipv4.HEADER + total, Ipv4.PROTOCOL_ICMP, ROUTER.bits(), OURS.bits());
    Ethernet.write(frame, ScriptedDevice.OUR_MAC, THEIR_MAC, Ethernet.TYPE_IPV4);
    device.put(Memory.bytes(frame, HEADERS + total));
    turn();
  }

  /** A router says that a segment of ours, in a packet of that length, is too large for it. */
  void receiveTooBig(int sequence, int length, int mtu) {
    receiveIcmp(Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, sequence, length, mtu);
  }

  /** The next segment to leave is this one. */
  void expect(String expected) {
    byte[] next = next();
    assertThat(next).as("expected %s, but nothing was sent", expected).isNotNull();
    compare(next, expected);
  }

  /** Nothing else has left. */
  void expectNothing() {
    byte[] next = next();
    assertThat(next == null ? "nothing" : describe(next)).isEqualTo("nothing");
  }

  /** Number of segments sent and not expected so far. */
  int drain() {
    int count = 0;
    while (next() != null) {
      count++;
    }
    return count;
  }

  /** The next TCP frame sent; ARP requests are answered on the way. */
  private byte[] next() {
    byte[] sent = device.take();
    while (sent != null) {
      Memory.copy(sent, 0, frame, sent.length);
      if (Ethernet.type(frame) != Ethernet.TYPE_ARP) {
        return sent;
      }
      answer();
      sent = device.take();
    }
    return null;
  }

  private void answer() {
    Arp.write(
        frame + Ethernet.HEADER,
        Arp.REPLY,
        THEIR_MAC,
        THEIRS.bits(),
        ScriptedDevice.OUR_MAC,
        OURS.bits());
    Ethernet.write(frame, ScriptedDevice.OUR_MAC, THEIR_MAC, Ethernet.TYPE_ARP);
    device.put(Memory.bytes(frame, Ethernet.HEADER + Arp.LENGTH));
    turn();
  }

  private void compare(byte[] sent, String expected) {
    Memory.copy(sent, 0, frame, sent.length);
    long tcp = frame + HEADERS;
    int total = sent.length - HEADERS;
    assertThat(Ethernet.destination(frame)).isEqualTo(THEIR_MAC);
    assertThat(Ipv4.wellFormed(frame + Ethernet.HEADER, sent.length - Ethernet.HEADER)).isTrue();
    assertThat(Ipv4.intact(frame + Ethernet.HEADER)).isTrue();
    assertThat(Ipv4.dontFragment(frame + Ethernet.HEADER)).isTrue();
    assertThat(Tcp.intact(tcp, total, OURS.bits(), THEIRS.bits())).as("checksum").isTrue();
    int flags = Tcp.flags(tcp);
    if ((flags & Tcp.SYN) != 0) {
      ourSequence = Tcp.sequence(tcp);
    }
    String was = describe(sent);
    int wanted = flags(expected.substring(0, expected.indexOf(' ')));
    wanted |= AccEcn.flags(number(expected, "ace", 0));
    assertThat(flags & ~Tcp.PSH).as(was).isEqualTo(wanted & ~Tcp.PSH);
    assertThat(flags & wanted & Tcp.PSH).as(was).isEqualTo(wanted & Tcp.PSH);
    int header = Tcp.headerLength(tcp);
    assertThat(total - header).as(was).isEqualTo(number(expected, "len", 0));
    assertThat(options.parse(tcp, header)).isTrue();
    check(expected, "seq", Tcp.sequence(tcp) - ourSequence, was);
    check(expected, "ack", Tcp.acknowledgment(tcp) - THEIR_SEQUENCE, was);
    check(expected, "win", Tcp.window(tcp), was);
    check(expected, "mss", options.mss(), was);
    check(expected, "ws", options.windowScale(), was);
    check(expected, "ecr", options.timestampEcho(), was);
    check(expected, "dscp", Ipv4.dscp(frame + Ethernet.HEADER), was);
    check(expected, "ecn", Ipv4.ecn(frame + Ethernet.HEADER), was);
    if (has(expected, "acc")) {
      assertThat(accurate(tcp)).as("AccECN of %s", was).isEqualTo(word(expected, "acc"));
    }
    if (hasWord(expected, "sackok")) {
      assertThat(options.sackPermitted()).as("sackok of %s", was).isTrue();
    }
    if (hasWord(expected, "sackno")) {
      assertThat(options.sackPermitted()).as("sackok of %s", was).isFalse();
    }
    if (has(expected, "sack")) {
      assertThat(sack(tcp)).as("sack of %s", was).isEqualTo(word(expected, "sack"));
    }
    for (int i = 0; i < total - header; i++) {
      int sequence = Tcp.sequence(tcp) - ourSequence + i;
      assertThat(Memory.getByte(tcp + header + i)).as(was).isEqualTo(sequence & 0xff);
    }
  }

  private static void check(String expected, String key, int value, String was) {
    if (has(expected, key)) {
      assertThat(value).as("%s of %s", key, was).isEqualTo(number(expected, key, 0));
    }
  }

  private String describe(byte[] sent) {
    Memory.copy(sent, 0, frame, sent.length);
    long tcp = frame + HEADERS;
    int flags = Tcp.flags(tcp);
    StringBuilder text = new StringBuilder();
    String letters = "SFRPUEWA.";
    for (int i = 0; i < letters.length(); i++) {
      if ((flags & flag(letters.charAt(i))) != 0) {
        text.append(letters.charAt(i));
      }
    }
    return text.append(" seq ")
        .append(Tcp.sequence(tcp) - ourSequence)
        .append(" ack ")
        .append(Tcp.acknowledgment(tcp) - THEIR_SEQUENCE)
        .append(" win ")
        .append(Tcp.window(tcp))
        .append(" len ")
        .append(sent.length - HEADERS - Tcp.headerLength(tcp))
        .append(" sack ")
        .append(sack(tcp))
        .append(" ace ")
        .append(AccEcn.ace(flags))
        .append(" acc ")
        .append(accurate(tcp))
        .toString();
  }

  /** The SACK blocks of a segment that we sent, {@code -} for none. */
  private String sack(long tcp) {
    options.parse(tcp, Tcp.headerLength(tcp));
    StringBuilder blocks = new StringBuilder();
    for (int i = 0; i < options.sackBlocks(); i++) {
      blocks.append(i == 0 ? "" : ",");
      blocks.append(options.sackLeft(i) - THEIR_SEQUENCE).append('-');
      blocks.append(options.sackRight(i) - THEIR_SEQUENCE);
    }
    return blocks.isEmpty() ? "-" : blocks.toString();
  }

  /** Kind and counters of the AccECN option of a segment that we sent, {@code -} for none. */
  private static String accurate(long tcp) {
    long end = tcp + Tcp.headerLength(tcp);
    long at = tcp + Tcp.HEADER;
    while (at < end && Memory.getByte(at) != 0) {
      int kind = Memory.getByte(at);
      if (kind == 1) {
        at++;
        continue;
      }
      int length = Memory.getByte(at + 1);
      if (kind == 172 || kind == 174) {
        StringBuilder text = new StringBuilder().append(kind);
        for (int from = 2; from + 3 <= length; from += 3) {
          text.append(from == 2 ? ':' : ',');
          text.append((Memory.getByte(at + from) << 16) | Memory.getShort(at + from + 1));
        }
        return text.toString();
      }
      at += length;
    }
    return "-";
  }

  /** Writes an AccECN option, padded; returns its end. */
  private static long putAccurate(long option, String text) {
    String[] parts = text.split("[:,]", -1);
    Memory.putByte(option, Integer.parseInt(parts[0]));
    Memory.putByte(option + 1, 2 + 3 * (parts.length - 1));
    long at = option + 2;
    for (int i = 1; i < parts.length; i++) {
      int counter = Integer.parseInt(parts[i]);
      Memory.putByte(at, counter >>> 16);
      Memory.putShort(at + 1, counter);
      at += 3;
    }
    while ((at - option) % 4 != 0) {
      Memory.putByte(at, 1);
      at++;
    }
    return at;
  }

  private static int flags(String letters) {
    int flags = 0;
    for (int i = 0; i < letters.length(); i++) {
      flags |= flag(letters.charAt(i));
    }
    return flags;
  }

  private static int flag(char letter) {
    return switch (letter) {
      case 'S' -> Tcp.SYN;
      case 'F' -> Tcp.FIN;
      case 'R' -> Tcp.RST;
      case 'P' -> Tcp.PSH;
      case 'U' -> Tcp.URG;
      case 'E' -> Tcp.ECE;
      case 'W' -> Tcp.CWR;
      case 'A' -> Tcp.AE;
      case '.' -> Tcp.ACK;
      case '-' -> 0;
      default -> throw new IllegalArgumentException("flag " + letter);
    };
  }

  private static boolean has(String text, String key) {
    return text.contains(" " + key + " ");
  }

  private static boolean hasWord(String text, String word) {
    return (text + " ").contains(" " + word + " ");
  }

  private static String word(String text, String key) {
    int from = text.indexOf(" " + key + " ") + key.length() + 2;
    int to = text.indexOf(' ', from);
    return text.substring(from, to < 0 ? text.length() : to);
  }

  private static int number(String text, String key, int otherwise) {
    int at = text.indexOf(" " + key + " ");
    if (at < 0) {
      return otherwise;
    }
    int from = at + key.length() + 2;
    int to = text.indexOf(' ', from);
    return Integer.parseInt(text.substring(from, to < 0 ? text.length() : to));
  }

  /** Sends one packet of that many octets and runs a turn. */
  void send(int length) {
    queue(length);
    turn();
  }

  /** Sends one packet without a turn. */
  void queue(int length) {
    stream.send(packet(length));
  }

  /** Sends one packet, or puts the octets into the segment that is open. */
  void pack(int length, boolean more) {
    put(length, true, false, more);
  }

  /** Reserves room for octets, writes them and commits them. */
  void put(int length, boolean packs, boolean leads, boolean more) {
    fill(stream.reserve(length, packs, leads), length);
    stream.commit(length, more);
  }

  /** A packet of that many octets, those that come next. */
  long packet(int length) {
    long packet = stream.allocate();
    long address = pool.address(packet);
    fill(address, length);
    pool.window(packet, address, length);
    return packet;
  }

  private void fill(long address, int length) {
    for (int i = 0; i < length; i++) {
      Memory.putByte(address + i, (int) (stream.sendPosition() + 1 + i));
    }
  }
}
