package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.NONE;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.device.NativePacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.wire.Memory;

/** Two connections joined in one thread: a ULPDU costs no garbage on its way. */
class MpaAllocationTest {
  private static final int ULPDUS = 3000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Counts the ULPDUs received and reads their octets. */
  private static final class Counting implements StartupHandler, UlpduHandler {
    private final long target = Memory.allocate(1 << 16);
    private MpaConnection mpa;
    private long octets;
    private long early;
    private MpaError error;

    @Override
    public void onRequest(MpaStartup startup, byte[] privateData) {
      startup.accept(NONE);
    }

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {}

    @Override
    public void onFullOperation(MpaConnection connection) {
      mpa = connection;
    }

    @Override
    public void onRejected(byte[] privateData) {}

    @Override
    public void onUlpdu(Ulpdu ulpdu) {
      octets += ulpdu.length();
      early += ulpdu.early() ? 1 : 0;
      ulpdu.copy(0, target, ulpdu.length());
    }

    @Override
    public void onSendable() {}

    @Override
    public void onMulpdu(int mulpdu) {}

    @Override
    public void onPeerClosed() {}

    @Override
    public void onError(MpaError number, String detail) {
      error = number;
    }

    @Override
    public void onClosed(CloseReason reason) {}
  }

  @ParameterizedTest
  @CsvSource({
    "false, 8000, false",
    "false, 700, false",
    "true, 8000, false",
    "true, 700, false",
    "false, 8000, true",
    "false, 700, true",
    "true, 8000, true",
    "true, 700, true"
  })
  void shouldAllocateNothingPerUlpdu(boolean markers, int cut, boolean reordered) {
    NativePacketPool pool = new NativePacketPool(64, 9216);
    MpaSettings settings =
        MpaSettings.DEFAULTS
            .withMarkers(markers)
            .withEarly(true)
            .withSilentDrop(cut == 8000)
            .withPacking(cut == 700);
    Counting sink = new Counting();
    JoinedStream from = new JoinedStream(pool, cut, reordered);
    JoinedStream to = new JoinedStream(pool, cut);
    from.join(to);
    Counting source = new Counting();
    to.open(MpaStartup.responder(settings, sink, sink));
    from.open(MpaStartup.initiator(settings, NONE, source, source));
    MpaConnection initiator = source.mpa;

    long payload = Memory.allocate(1 << 14);
    long sent = send(initiator, payload);
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 100 && least > 0; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      sent += send(initiator, payload);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }

    from.endTurn();
    from.flush();
    assertThat(sink.error).isNull();
    assertThat(sink.early > 0).isEqualTo(markers && reordered);
    assertThat(sink.octets).isEqualTo(sent);
    assertThat(least).as("octets allocated for %d ULPDUs", ULPDUS).isZero();
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  private static long send(MpaConnection connection, long payload) {
    long octets = 0;
    for (int i = 0; i < ULPDUS; i++) {
      int length = 1 + 13 * i % 1400;
      if (connection.send(payload, 14, payload + i, length)) {
        octets += 14 + length;
      }
    }
    return octets;
  }
}
