package org.rddp.bench.analysis;

import java.util.Arrays;
import org.rddp.analysis.UlpduAdapter;
import org.rddp.device.NativePacketPool;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

/**
 * The Responder of an MPA connection that receives the same FPDU again and again, in segments that
 * each hold one FPDU, or the end of one and the beginning of the next. It copies every ULPDU.
 */
final class MpaReceiveLoop extends UlpduAdapter {
  private static final int OVERHEAD = 6;

  /** Octets of headers before a segment in a received packet. */
  private static final int HEADERS = 54;

  private static final int PACKETS = 16;

  private final InMemoryTcpStream stream;
  private final long place;
  private final long[] segments = new long[2];
  private long passed;

  /**
   * A receiver in Full Operation.
   *
   * @param fpdu octets of each FPDU, equal to EMSS; a multiple of 4
   * @param aligned whether each segment holds one FPDU, instead of the halves of two
   */
  MpaReceiveLoop(int fpdu, boolean aligned) {
    stream = stream(fpdu);
    place = Memory.allocate(fpdu);
    InMemoryTcpStream peer = stream(fpdu);
    UlpduAdapter sender = new UlpduAdapter() {};
    peer.open(MpaStartup.initiator(MpaSettings.DEFAULTS, new byte[0], sender, sender));
    stream.open(MpaStartup.responder(MpaSettings.DEFAULTS, this, this));
    stream.receive(peer.takeSent());
    peer.receive(stream.takeSent());
    sender.mpa().send(place, 0, place, fpdu - OVERHEAD);
    begin(peer.takeSent(), aligned);
  }

  private static InMemoryTcpStream stream(int emss) {
    NativePacketPool pool = new NativePacketPool(PACKETS, Math.max(2048, emss + HEADERS));
    return new InMemoryTcpStream(pool, emss, InMemoryTcpStream.NO_FILLER);
  }

  /** A packet with a segment where a device would have put it, to be received repeatedly. */
  private long packet(byte[] octets) {
    NativePacketPool pool = stream.pool();
    long packet = pool.allocate();
    long address = pool.address(packet) + HEADERS;
    Memory.copy(octets, 0, address, octets.length);
    pool.window(packet, address, octets.length);
    return packet;
  }

  private void begin(byte[] fpdu, boolean aligned) {
    byte[] segment = fpdu;
    if (!aligned) {
      int half = fpdu.length / 2;
      stream.receive(packet(Arrays.copyOf(fpdu, half)));
      segment = Arrays.copyOfRange(fpdu, half, half + fpdu.length);
      System.arraycopy(fpdu, 0, segment, fpdu.length - half, half);
    }
    for (int i = 0; i < segments.length; i++) {
      segments[i] = packet(segment);
    }
  }

  /** Receives segments. Returns how many FPDUs have been passed in all. */
  int receive(int times) {
    for (int i = 0; i < times; i++) {
      stream.receive(segments[i & 1]);
    }
    return (int) passed;
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    ulpdu.copy(0, place, ulpdu.length());
    passed++;
  }
}
