package org.rddp.bench.layers;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Arp;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * A device with the peers of many connections at its other end. They send on request, answer ARP,
 * complete their handshakes, and ignore all other segments.
 */
final class PeerDevice implements FrameDevice {
  private static final int PORT = 7;

  private static final int OURS = 0x0a000001;
  private static final int FIRST_PEER = 0x0a010001;
  private static final int PORTS_PER_PEER = 50_000;
  private static final int FIRST_PORT = 1024;
  private static final long OUR_MAC = 0x02_00_00_00_00_01L;
  private static final long PEER_MAC = 0x02_00_00_00_00_02L;

  /** Without it segments to them would be of 536 octets (RFC 9293 section 3.7.1). */
  private static final int MSS = 1460;

  private static final int HEADER = Tcp.HEADER + TcpOptions.TIMESTAMPS_LENGTH;

  private final NativePacketPool pool;
  private final int payload;
  private final int[] sequences;
  private final int[] acknowledgments;
  private final long[] arriving = new long[256];
  private int from;
  private int to;
  private int synAck;

  /** Sequence number after the last octet sent to any of them. */
  private int seen;

  private int most = Integer.MAX_VALUE;

  /**
   * Peers that have not connected.
   *
   * @param payload octets of each payload, 1 to 1448
   */
  PeerDevice(int connections, int payload) {
    this.payload = payload;
    pool = new NativePacketPool(4096, 2048);
    sequences = new int[connections];
    acknowledgments = new int[connections];
  }

  /** Limits the frames that the device returns at a time. */
  void burst(int frames) {
    most = frames;
  }

  /**
   * Opens all connections to a stack over this device.
   *
   * @param stack of this device
   * @param turn runs a turn of the stack
   * @return the stack's ends, in the order of the connections
   */
  PayloadHandler[] open(TcpStack stack, Runnable turn) {
    List<PayloadHandler> users = new ArrayList<>();
    stack.listen(
        PORT,
        (stream, remote, port) -> {
          PayloadHandler user = new PayloadHandler(stream, payload);
          users.add(user);
          return user;
        });
    for (int i = 0; i < sequences.length; i++) {
      syn(i);
      turn.run();
      turn.run();
      acknowledgeSyn(i);
      turn.run();
    }
    if (users.size() != sequences.length) {
      throw new IllegalStateException(users.size() + " of " + sequences.length + " connections");
    }
    return users.toArray(PayloadHandler[]::new);
  }

  /** Creates a stack over this device. */
  TcpStack stack(TcpSettings settings, SplittableRandom random) {
    InterfaceAddress address = new InterfaceAddress(Ipv4Address.parse("10.0.0.1"), 8);
    return new TcpStack(this, address, settings, random, 0);
  }

  private void syn(int index) {
    sequences[index] = index * 77;
    send(index, Tcp.SYN, 0);
    sequences[index]++;
  }

  private void acknowledgeSyn(int index) {
    acknowledgments[index] = synAck + 1;
    send(index, Tcp.ACK, 0);
  }

  /** Sends the next octets on a connection. */
  void sendPayload(int index) {
    send(index, Tcp.ACK | Tcp.PSH, payload);
    sequences[index] += payload;
  }

  /** Acknowledges another payload with the next segment on a connection. */
  void taken(int index) {
    acknowledgments[index] += payload;
  }

  /** Sends an acknowledgment on a connection. */
  void acknowledge(int index) {
    send(index, Tcp.ACK, 0);
  }

  /** Acknowledges everything received on the only connection. */
  void acknowledgeSeen(int index) {
    acknowledgments[index] = seen;
    send(index, Tcp.ACK, 0);
  }

  private void send(int index, int flags, int length) {
    long packet = pool.allocate();
    long frame = pool.address(packet);
    long ip = frame + Ethernet.HEADER;
    long tcp = ip + Ipv4.HEADER;
    int address = FIRST_PEER + index / PORTS_PER_PEER;
    int port = FIRST_PORT + index % PORTS_PER_PEER;
    int header = HEADER;
    long sum = TcpOptions.putTimestamps(tcp + Tcp.HEADER, 1, 1);
    if ((flags & Tcp.SYN) != 0) {
      sum += TcpOptions.putMss(tcp + HEADER, MSS);
      header += TcpOptions.MSS_LENGTH;
    }
    int total = header + length;
    sum += Checksum.sum(tcp + header, length);
    sum +=
        Tcp.write(tcp, port, PORT, sequences[index], acknowledgments[index], header, flags, 65535);
    sum += Checksum.pseudoHeader(address, OURS, Ipv4.PROTOCOL_TCP, total);
    Tcp.putChecksum(tcp, sum);
    Ipv4.write(ip, Ipv4.HEADER + total, Ipv4.PROTOCOL_TCP, address, OURS);
    Ethernet.write(frame, OUR_MAC, PEER_MAC, Ethernet.TYPE_IPV4);
    pool.window(packet, frame, Ethernet.HEADER + Ipv4.HEADER + total);
    arriving[to++] = packet;
  }

  @Override
  public int receive(long[] packets) {
    int count = Math.min(Math.min(most, packets.length), to - from);
    System.arraycopy(arriving, from, packets, 0, count);
    from += count;
    if (from == to) {
      from = 0;
      to = 0;
    }
    return count;
  }

  @Override
  public int transmit(long[] packets, int first, int count) {
    for (int i = first; i < first + count; i++) {
      long frame = pool.address(packets[i]);
      if (Ethernet.type(frame) == Ethernet.TYPE_ARP) {
        answer(frame);
      } else {
        long tcp = frame + Ethernet.HEADER + Ipv4.HEADER;
        if ((Tcp.flags(tcp) & Tcp.SYN) != 0) {
          synAck = Tcp.sequence(tcp);
        }
        int headers = (int) (tcp - frame) + Tcp.headerLength(tcp);
        seen = Tcp.sequence(tcp) + pool.length(packets[i]) - headers;
      }
      pool.release(packets[i]);
    }
    return count;
  }

  private void answer(long question) {
    int asked = Arp.targetIp(question + Ethernet.HEADER);
    long packet = pool.allocate();
    long frame = pool.address(packet);
    Arp.write(frame + Ethernet.HEADER, Arp.REPLY, PEER_MAC, asked, OUR_MAC, OURS);
    Ethernet.write(frame, OUR_MAC, PEER_MAC, Ethernet.TYPE_ARP);
    pool.window(packet, frame, Ethernet.HEADER + Arp.LENGTH);
    arriving[to++] = packet;
  }

  @Override
  public NativePacketPool pool() {
    return pool;
  }

  @Override
  public long macAddress() {
    return OUR_MAC;
  }

  @Override
  public int mtu() {
    return 1500;
  }

  @Override
  public boolean up() {
    return true;
  }

  @Override
  public void close() {}
}
