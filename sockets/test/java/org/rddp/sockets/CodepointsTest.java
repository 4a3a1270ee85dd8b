package org.rddp.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Capture;
import org.rddp.client.Rddp;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/** The DSCPs of the packets of connections whose programs set IP_TOS or IPV6_TCLASS. */
@Timeout(120)
class CodepointsTest {
  private static final int IP = 14;
  private static final int IPV4_SOURCE_END = IP + 15;
  private static final int IPV6_SOURCE_END = IP + 23;
  private static final int KEPT = 64;

  /** By the version of IP and the last octet of the source. */
  private final Set<String> codepoints = new TreeSet<>();

  private void note(MemorySegment frame) {
    int version = octet(frame, IP) >> 4;
    if (version == 4) {
      note(version, octet(frame, IPV4_SOURCE_END), octet(frame, IP + 1) >> 2);
    } else if (version == 6) {
      int dscp = (octet(frame, IP) & 15) << 2 | octet(frame, IP + 1) >> 6;
      note(version, octet(frame, IPV6_SOURCE_END), dscp);
    }
  }

  private void note(int version, int source, int dscp) {
    codepoints.add("IPv%d from %d: %d".formatted(version, source, dscp));
  }

  private static int octet(MemorySegment frame, int at) {
    return frame.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  @Test
  void shouldSendWithTheDscpThatTheProgramHasChosen() throws Exception {
    try (TestDaemon daemon = TestDaemon.withKeys("tcp.dscp = 26", "");
        Rddp session = daemon.connect("one");
        Capture frames = session.startCapture(1 << 20, KEPT, false)) {
      run(daemon);
      session.stopCapture();
      frames.poll((_, _, octets) -> note(octets), Integer.MAX_VALUE);
      assertThat(frames.lost()).isZero();
    }
    assertThat(codepoints)
        .filteredOn(line -> line.startsWith("IPv4 from"))
        .containsExactlyInAnyOrder(
            "IPv4 from 1: 26",
            "IPv4 from 1: 10",
            "IPv4 from 1: 46",
            "IPv4 from 1: 0",
            "IPv4 from 2: 26",
            "IPv4 from 2: 8");
    assertThat(codepoints)
        .contains("IPv6 from 1: 26", "IPv6 from 1: 10", "IPv6 from 1: 46", "IPv6 from 2: 8");
  }

  private static void run(TestDaemon daemon) throws IOException, InterruptedException {
    try (ProgramInC program =
        ProgramInC.start(
            "codepoints_test-address",
            Map.of("RDDP_SOCKET", daemon.socket().toString(), "ASAN_OPTIONS", "detect_leaks=0"),
            List.of())) {
      program.finishTest();
    }
  }
}
