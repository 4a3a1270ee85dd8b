package org.rddp.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * A few connections in any state: a script of segments from their peer, calls of their users, and
 * time.
 *
 * <p>The first four octets of an input are settings. Each operation after that is an octet (the low
 * five bits select the operation, the next two the connection, the top bit suppresses the turn) and
 * its arguments. The peer's octets are computed from their sequence numbers and ours from their
 * positions, so that each can be checked wherever it appears.
 */
public final class ConnectionFuzz {
  private static final int PACKETS = 256;
  private static final int CONNECTIONS = 6;
  private static final int FLOWS = 4;
  private static final int LISTENING = 7;
  private static final int FIRST_PORT = 40_000;
  private static final int MOST_TURNS = 5000;
  private static final long MILLISECOND = 1_000_000;
  private static final NativePacketPool POOL = new NativePacketPool(PACKETS, 9100);
  private static final SegmentBuilder SEGMENTS = new SegmentBuilder();
  private static final byte[] ARP_REPLY = Frames.arpReply();

  private final FuzzInput input;
  private final TcpOptions options = new TcpOptions();

  /** The flows that operations use now, and all flows so far. */
  private final FuzzedFlow[] flows = new FuzzedFlow[FLOWS];

  private final List<FuzzedFlow> all = new ArrayList<>();
  private final FuzzedDevice device;
  private final TcpStack stack;
  private final int synOptions;
  private Throwable failure;
  private byte[] last = ARP_REPLY;
  private long now = 1000 * MILLISECOND;

  private ConnectionFuzz(FuzzInput input) {
    this.input = input;
    int choices = input.octet();
    int more = input.octet();
    synOptions = input.octet();
    int mtu = new int[] {1500, 9000, 576, 296}[more & 3];
    device = new FuzzedDevice(POOL, mtu, this::onFrame);
    TcpSettings settings =
        TcpSettings.DEFAULTS
            .withWindowScale((choices & 1) == 0)
            .withTimestamps((choices & 2) == 0)
            .withSelectiveAcknowledgment((choices & 4) == 0)
            .withEcn((choices & 8) == 0)
            .withSynCookies((choices & 32) == 0)
            .withKeepAlive((choices & 64) == 0 ? Long.MAX_VALUE : 20_000 * MILLISECOND)
            .withAcknowledgmentDelay((choices & 128) == 0 ? 0 : 5000)
            .withCongestion(congestion(more >>> 2 & 3))
            .withReceiveBuffer(new int[] {1 << 20, 2048, 20_000, 65_536}[more >>> 4 & 3])
            .withBacklog(1 + (more >>> 6))
            .withConnections(CONNECTIONS);
    stack =
        new TcpStack(
            device,
            new InterfaceAddress(Frames.OURS, 24),
            settings,
            new SplittableRandom(input.octet()),
            now);
    stack.reportFailuresTo(thrown -> failure = thrown);
    for (int i = 0; i < FLOWS; i++) {
      flows[i] = new FuzzedFlow(LISTENING, FIRST_PORT + i, new SplittableRandom(i).nextInt());
      all.add(flows[i]);
    }
    stack.listen(LISTENING, (stream, address, port) -> accepted(port));
  }

  private static CongestionAlgorithm congestion(int choice) {
    return switch (choice) {
      case 1 -> CongestionAlgorithm.NEW_RENO;
      case 2 -> CongestionAlgorithm.NONE;
      default -> CongestionAlgorithm.CUBIC;
    };
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] octets) {
    new ConnectionFuzz(new FuzzInput(octets)).run();
  }

  private StreamHandler accepted(int port) {
    FuzzedFlow flow = all.get(port - FIRST_PORT);
    flow.user = new FuzzedUser();
    flow.user.flow(flow);
    return flow.user;
  }

  private void run() {
    while (!input.exhausted()) {
      int operation = input.octet();
      FuzzedFlow flow = flows[operation >>> 5 & 3];
      operate(operation & 31, flow);
      if (operation < 128) {
        turn();
      }
    }
    stack.close();
    device.close();
    check();
    Frames.require(stack.connections() == 0, stack.connections() + " connections are left");
    Frames.require(stack.packetsHeld() == 0, stack.packetsHeld() + " packets are held");
    Frames.require(POOL.available() == PACKETS, "packets are missing");
    for (FuzzedFlow flow : all) {
      Frames.require(flow.user == null || flow.user.closed(), "a user was not told of the end");
    }
  }

  private void turn() {
    stack.receive(now);
    stack.advance(now);
    stack.transmit(now);
    check();
  }

  private void check() {
    if (failure != null) {
      throw new AssertionError("a handler failed", failure);
    }
    int held = stack.packetsHeld();
    Frames.require(held >= 0 && held <= PACKETS, held + " packets are held");
    Frames.require(stack.connections() <= CONNECTIONS, stack.connections() + " connections");
  }

  private void operate(int operation, FuzzedFlow flow) {
    switch (operation) {
      case 0 -> synchronise(flow, 0);
      case 1 -> synchronise(flow, Tcp.ACK);
      case 2, 3 -> honest(flow, Tcp.ACK, 0);
      case 4, 5 -> honest(flow, Tcp.ACK | Tcp.PSH, 1 + input.octet());
      case 6 -> honest(flow, Tcp.ACK, input.unsignedShort() % device.mtu());
      case 7 -> honest(flow, Tcp.ACK | Tcp.FIN, 0);
      case 8, 9, 10 -> near(flow, Tcp.ACK);
      case 11, 12 -> near(flow, input.octet());
      case 13 -> near(flow, Tcp.RST);
      case 14 -> selective(flow);
      case 15 -> near(flow, Tcp.ACK | Tcp.FIN);
      case 16 -> flow.next = flow.acknowledged;
      case 17 -> pass(1L << (input.octet() & 31));
      case 18 -> pass((1 + input.octet()) * 100L * MILLISECOND);
      case 19 -> pass(Math.max(stack.nextDeadline() - now, 0) & (1L << 40) - 1);
      case 20 -> connect(flow);
      case 21 ->
          put(
              SEGMENTS.unreachable(
                  flow, input.octet(), input.unsignedShort(), flow.sentEnd + input.signedOctet()));
      case 22 -> device.accepts = input.octet();
      case 23 -> device.accepts = Integer.MAX_VALUE;
      case 24 -> device.keeps = !device.keeps;
      case 25 -> device.letGo();
      case 26 -> put(last);
      case 27 -> put(ARP_REPLY);
      default -> use(operation, flow);
    }
  }

  private void use(int operation, FuzzedFlow flow) {
    if (flow.user == null) {
      return;
    }
    switch (operation) {
      case 28 -> {
        int octets = input.unsignedShort() % 10_000;
        for (int count = input.octet() % 16; count >= 0; count--) {
          flow.user.send(Math.max(octets, 1));
        }
      }
      case 29 -> flow.user.consume(input.unsignedShort());
      case 30 -> flow.user.closeSend();
      default -> {
        if (input.octet() % 2 == 0) {
          flow.user.abort();
        } else {
          flow.user.alarm((long) input.signedOctet() * MILLISECOND);
        }
      }
    }
  }

  private void put(byte[] frame) {
    last = frame;
    device.put(frame);
  }

  /** The peer's SYN; its options are those of every SYN of this input. */
  private void synchronise(FuzzedFlow flow, int flags) {
    int delta = input.octet();
    flow.synchronise(delta);
    SEGMENTS.begin();
    if ((synOptions & 1) != 0) {
      SEGMENTS.mss(new int[] {1460, 536, 1, 65_535}[synOptions >>> 1 & 3]);
    }
    if ((synOptions & 8) != 0) {
      SEGMENTS.windowScale(synOptions >>> 4 & 3);
    }
    if ((synOptions & 64) != 0) {
      SEGMENTS.sackPermitted();
    }
    int ecn = (synOptions & 4) != 0 ? (flags == 0 ? 0xc0 : 0x40) : 0;
    stamp(flow, 0);
    put(SEGMENTS.end(flow, flow.base + delta, flow.sentEnd, Tcp.SYN | flags | ecn, 65_535, 0, 0));
  }

  /** Timestamps, where the peer has them: of every segment of this input, or of none. */
  private void stamp(FuzzedFlow flow, int later) {
    if ((synOptions & 128) != 0) {
      SEGMENTS.timestamps((int) (now / MILLISECOND) + later, flow.timestamp);
    }
  }

  /** A segment of a correct peer that has received everything. */
  private void honest(FuzzedFlow flow, int flags, int length) {
    SEGMENTS.begin();
    stamp(flow, 0);
    put(SEGMENTS.end(flow, flow.next, flow.sentEnd, flags, 60_000, length, Ipv4.ECT_0));
    flow.next += length + (flags & Tcp.FIN);
  }

  /** A segment near the windows. A SYN with octets sets where they begin. */
  private void near(FuzzedFlow flow, int flags) {
    int offset = input.signedShort();
    int acknowledgment = flow.sentEnd + input.signedShort();
    int window = input.unsignedShort();
    int length = input.octet() * 4;
    int more = input.octet();
    SEGMENTS.begin();
    if ((more & 1) == 0) {
      stamp(flow, (more & 2) == 0 ? 0 : input.signedShort());
    }
    if ((more & 4) != 0) {
      SEGMENTS.sack(flow.sentEnd + input.signedShort(), flow.sentEnd + input.signedShort());
    }
    if ((more & 8) != 0 && (flags & Tcp.SYN) == 0) {
      SEGMENTS.any(input);
    }
    int sequence = flow.next + offset;
    if ((flags & Tcp.SYN) != 0) {
      sequence = flow.base + (offset & 0xff);
      flow.synchronise(offset & 0xff);
    }
    put(SEGMENTS.end(flow, sequence, acknowledgment, flags, window, length, more >>> 6));
  }

  /** An acknowledgment of little, and of some of what came after it. */
  private void selective(FuzzedFlow flow) {
    int left = flow.sentEnd - input.unsignedShort();
    int right = left + input.unsignedShort();
    SEGMENTS.begin();
    stamp(flow, 0);
    SEGMENTS.sack(left, right);
    SEGMENTS.sack(right + input.octet(), right + 256);
    int acknowledgment = left - input.octet();
    put(SEGMENTS.end(flow, flow.next, acknowledgment, Tcp.ACK, 60_000, 0, 0));
  }

  /**
   * Lets time pass, with a turn whenever the stack wants one. The stack may always want one soon
   * while it waits for something else, such as packets: then the steps of time get longer.
   */
  private void pass(long nanoseconds) {
    long until = now + nanoseconds;
    long step = 1;
    int turns = 0;
    while (stack.nextDeadline() < until && now < until) {
      step = stack.nextDeadline() - now > MILLISECOND ? 1 : step * 2;
      now = Math.min(Math.max(stack.nextDeadline(), now + step), until);
      turn();
      if (++turns > MOST_TURNS) {
        throw new AssertionError("timers do not let time pass");
      }
    }
    now = Math.max(now, until);
  }

  /** Opens a connection, with a new flow in place of this one. */
  private void connect(FuzzedFlow flow) {
    if (stack.connections() >= CONNECTIONS || (flow.user != null && !flow.user.closed())) {
      return;
    }
    FuzzedUser user = new FuzzedUser();
    TcpConnection connection = stack.connect(Frames.THEIRS, flow.theirPort, user);
    FuzzedFlow opened = new FuzzedFlow(connection.localPort(), flow.theirPort, flow.base);
    user.flow(opened);
    opened.user = user;
    flows[flow.theirPort - FIRST_PORT] = opened;
    all.add(opened);
  }

  private void onFrame(boolean sent, long address, int length) {
    if (!Frames.check(address, length, device.mtu(), options)) {
      if (Ethernet.type(address) == Ethernet.TYPE_ARP) {
        device.put(ARP_REPLY); // otherwise every script would have to do so
      }
      return;
    }
    long tcp = address + Frames.TCP;
    int octets = Ipv4.totalLength(address + Ethernet.HEADER) - Ipv4.HEADER;
    for (FuzzedFlow flow : all) {
      if (flow.ourPort == Tcp.sourcePort(tcp) && flow.theirPort == Tcp.destinationPort(tcp)) {
        flow.sent(tcp, octets, options);
      }
    }
  }
}
