package org.rddp.bench.layers;

import org.rddp.device.FrameDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Arp;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * A device at whose other end are the peers of many connections: they send what a benchmark tells
 * them to, and take what comes without looking at it, but for the answers to ARP and to their SYNs.
 */
final class PeerDevice implements FrameDevice {
  /** The port that all of them connect to. */
  static final int PORT = 7;

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

  /** Behind the last octet that was sent to any of them. */
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

  /** Octets of each payload. */
  int payload() {
    return payload;
  }

  /** The most frames that the device gives at a time, from now on. */
  void burst(int frames) {
    most = frames;
  }

  /** Connection {@code index} is opened; the stack must take two turns. */
  void syn(int index) {
    sequences[index] = index * 77;
    send(index, Tcp.SYN, 0);
    sequences[index]++;
  }

  /** The last segment of the handshake. */
  void acknowledgeSyn(int index) {
    acknowledgments[index] = synAck + 1;
    send(index, Tcp.ACK, 0);
  }

  /** The peer of a connection sends the next octets in order. */
  void sendPayload(int index) {
    send(index, Tcp.ACK | Tcp.PSH, payload);
    sequences[index] += payload;
  }

  /** The peer of a connection acknowledges another payload, in its next segment or in this one. */
  void taken(int index) {
    acknowledgments[index] += payload;
  }

  /** The peer of a connection sends an acknowledgment alone. */
  void acknowledge(int index) {
    send(index, Tcp.ACK, 0);
  }

  /** The peer of the only connection acknowledges everything that has come. */
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
