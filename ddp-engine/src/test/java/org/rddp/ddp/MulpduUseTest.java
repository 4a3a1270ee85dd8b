package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.device.NativePacketPool;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpStream;

/** DDP's use of what MPA reports: MULPDU, the version, and the end of the connection. */
class MulpduUseTest {
  private static final int WRITE = 0x40;
  private static final int MULPDU = 1442;

  private final GuardedMemory memory = new GuardedMemory(20_000);
  private InMemoryTcpStream tcp = tcp();

  private static InMemoryTcpStream tcp() {
    NativePacketPool pool = new NativePacketPool(16, 2048);
    return new InMemoryTcpStream(pool, 1448, InMemoryTcpStream.NO_FILLER);
  }

  private static int[] lengths(DdpFixture ddp) {
    return ddp.peer.received().stream().mapToInt(ulpdu -> ulpdu.length).toArray();
  }

  @Test
  @Tag("MPA-4.5-05")
  @Tag("MPAA-2-01")
  @Tag("MPA-3-03")
  @DisplayName("RFC 5044 A.2: a large message fills segments, and its tail makes a short one")
  void shouldFillSegmentsWithAMessage() {
    DdpFixture ddp = DdpFixture.sending(DdpFixture.EMSS, 1);
    int full = MULPDU - DdpHeader.TAGGED_LENGTH;
    ddp.stream.postTagged(
        1, WRITE, new StreamRequest().memory(memory.address(), 10L * full + 1).remote(7, 0));
    ddp.run();
    int[] expected = new int[11];
    Arrays.fill(expected, MULPDU);
    expected[10] = DdpHeader.TAGGED_LENGTH + 1;
    assertThat(lengths(ddp)).containsExactly(expected);
  }

  @Test
  @Tag("MPA-4.5-04")
  @DisplayName("RFC 5044 4.5: a message is cut where it fills a segment, if its frame then goes on")
  void shouldFillASegmentOfATrain() {
    DdpFixture ddp = DdpFixture.packing();
    ddp.tcp.sendTrains();
    int full = MULPDU - DdpHeader.TAGGED_LENGTH;
    for (int token = 1; token <= 2; token++) {
      StreamRequest request = new StreamRequest().memory(memory.address(), 2L * full + 428);
      ddp.stream.postTagged(token, WRITE, request.remote(7, 0));
    }
    ddp.run();
    int tail = 428 + DdpHeader.TAGGED_LENGTH;
    int filling = DdpFixture.EMSS - (tail + 6) - 6;
    int rest = tail + full - (filling - DdpHeader.TAGGED_LENGTH);
    assertThat(lengths(ddp)).containsExactly(MULPDU, MULPDU, tail, filling, MULPDU, rest);
  }

  @Test
  @Tag("MPA-3-03")
  @Tag("MPA-4.5-05")
  @DisplayName("RFC 5044 3: no segment exceeds MULPDU, and only a message's last is shorter")
  void shouldKeepWithinMulpdu() {
    Random random = new Random(4);
    for (int emss = 200; emss < 1448; emss += 39) {
      DdpFixture ddp = DdpFixture.sending(DdpFixture.EMSS, 1);
      ddp.tcp.setEmss(emss);
      int mulpdu = emss - emss % 4 - 6;
      int sent = 0;
      for (int i = 0; i < 5; i++) {
        int length = 1 + random.nextInt(6000);
        sent += length;
        ddp.stream.postTagged(
            i, WRITE, new StreamRequest().memory(memory.address(), length).remote(7, 0));
      }
      ddp.run();
      int payload = 0;
      for (byte[] ulpdu : ddp.peer.received()) {
        boolean last = (ulpdu[0] & 0x40) != 0;
        payload += ulpdu.length - DdpHeader.TAGGED_LENGTH;
        assertThat(ulpdu.length).isLessThanOrEqualTo(mulpdu);
        assertThat(last || ulpdu.length == mulpdu).as("%d octets", ulpdu.length).isTrue();
      }
      assertThat(payload).isEqualTo(sent);
    }
  }

  private static byte[] reply(int flags, int revision) {
    byte[] frame = Arrays.copyOf("MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII), 20);
    frame[16] = (byte) flags;
    frame[17] = (byte) revision;
    return frame;
  }

  /** An Initiator that has been answered so, with a message posted before. */
  private void answered(byte[] reply, RecordingUlp ulp, MpaSettings mpa) {
    DdpEngine engine = new DdpEngine(new TaggedBuffers(4, new Random(1)));
    DdpSettings settings = new DdpSettings(4, 4, List.of(QueueSettings.buffered(1)));
    DdpStream stream =
        ulp.initiator(engine, new ProtectionDomain("test"), settings, new byte[0], mpa);
    stream.postTagged(1, WRITE, new StreamRequest().memory(memory.address(), 40).remote(7, 0));
    tcp.open(ulp.startup);
    if (reply.length > 0) {
      tcp.receive(reply);
    }
    engine.send(Integer.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Tag("MPA-3-15")
  @DisplayName("RFC 5044 3: the version that MPA reports is the version in DDP's header")
  void shouldUseTheVersionThatMpaReports(int revision) {
    boolean rdmac = revision == 0;
    RecordingUlp ulp = new RecordingUlp();
    answered(reply(rdmac ? 0xc0 : 0x40, revision), ulp, MpaSettings.DEFAULTS.withPermissive(true));
    int control = tcp.segments().getLast()[rdmac ? 6 : 2];
    assertThat(control & 3).isEqualTo(revision);
    assertThat(control & 0xc0).isEqualTo(0xc0);
  }

  @Test
  @Tag("MPA-8-11")
  @DisplayName("RFC 5044 8: an invalid startup frame ends a stream as a lost connection does")
  void shouldTreatErrorFourAsErrorOne() {
    RecordingUlp invalid = new RecordingUlp();
    byte[] garbage = reply(0x40, 1);
    garbage[3] = 'X';
    answered(garbage, invalid, MpaSettings.DEFAULTS);
    RecordingUlp lost = new RecordingUlp();
    tcp = tcp();
    answered(new byte[0], lost, MpaSettings.DEFAULTS);
    lost.startup.onClosed(CloseReason.RESET);
    List<String> afterFour = invalid.events();
    List<String> afterOne = lost.events();
    assertThat(afterFour).contains("llp error STARTUP", "send flushed 1");
    assertThat(afterOne).contains("llp error CONNECTION_LOST", "send flushed 1");
    assertThat(named(afterFour)).isEqualTo(named(afterOne));
  }

  private static List<String> named(List<String> events) {
    return events.stream().map(event -> event.replaceAll("[A-Z_]+$", "")).toList();
  }
}
