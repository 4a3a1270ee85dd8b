package org.rddp.rdmap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.testing.InMemoryTcpPair;
import org.rddp.tcp.testing.StreamHandlerAdapter;
import org.rddp.wire.Memory;

/**
 * One end of a captured connection, whose segments go to our MPA as they were; what that passes up.
 */
final class ReplayedEnd extends StreamHandlerAdapter implements StartupHandler, UlpduHandler {
  private static final int LONGEST = 65536;
  private static final int IRD = 128;
  private static final byte[] EMPTY_WRITE = HexFormat.of().parseHex("c140" + "00".repeat(12));

  private final List<byte[]> ulpdus = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();
  private final boolean initiator;
  private TcpStream stream;

  private ReplayedEnd(boolean initiator) {
    this.initiator = initiator;
  }

  /**
   * Replays everything that was sent.
   *
   * @return every ULPDU, in order
   */
  static List<byte[]> ulpdus(CapturedConnection captured, boolean peerToPeer) {
    MpaSettings settings =
        MpaSettings.DEFAULTS.withRevision(2).withReads(IRD, 1).withPeerToPeer(peerToPeer);
    ReplayedEnd end = new ReplayedEnd(captured.initiator());
    MpaStartup startup =
        captured.initiator()
            ? MpaStartup.responder(settings, end, end)
            : MpaStartup.initiator(settings, new byte[0], end, end);
    InMemoryTcpPair tcp = new InMemoryTcpPair(startup, end, LONGEST);
    for (byte[] segment : captured.segments()) {
      end.send(segment);
      tcp.run(() -> {});
    }
    if (!end.errors.isEmpty()) {
      throw new AssertionError(end.errors);
    }
    return end.ulpdus;
  }

  private void send(byte[] segment) {
    long packet = stream.allocate();
    long address = stream.pool().address(packet);
    Memory.copy(segment, 0, address, segment.length);
    stream.pool().window(packet, address, segment.length);
    stream.send(packet);
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
  }

  @Override
  public void onRequest(MpaStartup startup, byte[] privateData) {
    startup.accept(new byte[0]);
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {}

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(ulpdu.length());
      ulpdu.copy(0, copy.address(), ulpdu.length());
      ulpdus.add(copy.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Override
  public void onError(MpaError error, String detail) {
    errors.add(error + ": " + detail);
  }

  @Override
  public void onRejected(byte[] privateData) {
    errors.add("rejected");
  }

  /** A Responder waits for the Initiator's first FPDU: an empty RDMA Write. */
  @Override
  public void onFullOperation(MpaConnection mpa) {
    if (!initiator) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment first = arena.allocate(EMPTY_WRITE.length);
        Memory.copy(EMPTY_WRITE, 0, first.address(), EMPTY_WRITE.length);
        if (!mpa.send(first.address(), EMPTY_WRITE.length, 0, 0)) {
          errors.add("nothing can be sent");
        }
      }
    }
  }

  @Override
  public void onMulpdu(int mulpdu) {}
}
