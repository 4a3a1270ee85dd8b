package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;
import static org.rddp.mpa.MpaEndpoint.NONE;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.NativePacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

/** A connection that carries MPA from the start, and one that is given to it later. */
class BeginningTest {
  private static final MpaSettings MARKED = MpaSettings.DEFAULTS.withMarkers(true);

  /** A program that has said what it had to say, and leaves the rest to MPA. */
  private static final class Talker implements StreamingHandler {
    @Override
    public void onOpen(StreamingMode streaming) {}

    @Override
    public int onOctets(long address, int length) {
      return length;
    }

    @Override
    public void onSendable() {}

    @Override
    public void onPeerClosed() {}

    @Override
    public void onClosed(CloseReason reason) {}
  }

  private static long octets(int length) {
    return Memory.allocate(length);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 511, 4000})
  @Tag("MPAA-0-02")
  @DisplayName("RFC 5044 A: the FPDUs of a connection moved to MPA are those of one begun with it")
  void shouldSendTheSameFpdusWhereverMpaBegan(int before) {
    MpaEndpoint direct = MpaEndpoint.initiating(MARKED, M | C);
    InMemoryTcpStream tcp = new InMemoryTcpStream(new NativePacketPool(16, 2304), 1460, 0x5a);
    StreamingMode streaming = new StreamingMode(new Talker());
    MpaConnection moved = MpaConnection.initiator(MARKED, NONE, new RecordingHandler());
    tcp.open(streaming);
    assertThat(streaming.send(octets(before), before)).isEqualTo(before);
    streaming.start(moved);
    tcp.takeSent();
    tcp.receive(PeerOctets.reply(M | C, NONE));
    Random random = new Random(before);
    long buffer = Memory.allocate(2000);
    for (int i = 0; i < 200; i++) {
      byte[] ulpdu = new byte[1 + random.nextInt(1442)];
      random.nextBytes(ulpdu);
      Memory.copy(ulpdu, 0, buffer, ulpdu.length);
      assertThat(direct.send(ulpdu)).isTrue();
      assertThat(moved.send(buffer, 0, buffer, ulpdu.length)).isTrue();
    }
    assertThat(tcp.segments()).hasSize(200);
    for (int i = 0; i < 200; i++) {
      assertThat(tcp.segments().get(i)).isEqualTo(direct.stream.segments().get(i));
    }
  }

  @Test
  @Tag("D03-5.1.1-02")
  @DisplayName("draft-culley-03 5.1.1: without MPA octets fill segments, whatever they are part of")
  @Tag("MPAA-0-01")
  void shouldFillSegmentsWithPlainOctets() {
    InMemoryTcpStream tcp = new InMemoryTcpStream(new NativePacketPool(16, 2304), 1460, 0x5a);
    StreamingMode streaming = new StreamingMode(new Talker());
    tcp.open(streaming);
    streaming.send(octets(5000), 5000);
    assertThat(tcp.segments())
        .extracting(segment -> segment.length)
        .containsExactly(1460, 1460, 1460, 620);
  }
}
