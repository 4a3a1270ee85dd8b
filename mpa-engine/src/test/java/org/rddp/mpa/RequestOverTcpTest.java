package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.device.CapturedDevice;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/** The first segments of a connection between two TCP stacks, under virtual time. */
class RequestOverTcpTest {
  private static final int PORT = 9999;
  private static final long SECOND = 1_000_000_000L;

  private static TcpStack stack(FrameDevice device, int host, long now) {
    Ipv4Address address = Ipv4Address.parse("10.99.0." + host);
    InterfaceAddress own = new InterfaceAddress(address, 24);
    return new TcpStack(device, own, TcpSettings.DEFAULTS, new SplittableRandom(host), now);
  }

  @Test
  @Tag("MPA-7.1.4-02")
  @Tag("MPA-7.1-03")
  void theRequestShouldRideOnTheHandshakesLastAcknowledgment() {
    RecordingHandler asked = new RecordingHandler();
    MpaStartup responder = MpaStartup.responder(MpaSettings.DEFAULTS, asked, asked);
    byte[] data = {9, 9};
    RecordingHandler asking = new RecordingHandler();
    MpaStartup initiator = MpaStartup.initiator(MpaSettings.DEFAULTS, data, asking, asking);
    List<byte[]> sent = new ArrayList<>();
    LoopedDevice[] ends =
        LoopedDevice.pair(
            new NativePacketPool(256, 2304), new NativePacketPool(256, 2304), 1500, 100);
    FrameDevice captured =
        new CapturedDevice(
            ends[0],
            (out, address, length) -> {
              if (out) {
                sent.add(Memory.bytes(address, length));
              }
            });
    long now = SECOND;
    TcpStack first = stack(captured, 1, now);
    TcpStack second = stack(ends[1], 2, now);
    second.listen(PORT, (stream, remote, port) -> responder);
    first.connect(Ipv4Address.parse("10.99.0.2"), PORT, initiator);
    for (int i = 0; i < 100; i++) {
      for (TcpStack stack : List.of(first, second)) {
        stack.receive(now);
        stack.advance(now);
        stack.transmit(now);
      }
      now += SECOND / 1000;
    }
    assertThat(asked.events).containsExactly("request 0909");
    byte[] request = PeerOctets.request(MpaEndpoint.C, data);
    List<byte[]> segments = sent.stream().filter(RequestOverTcpTest::isTcp).toList();
    assertThat(segments.get(0)).as("the SYN").hasSizeLessThan(100);
    byte[] acknowledgment = segments.get(1);
    assertThat(
            Arrays.copyOfRange(
                acknowledgment, acknowledgment.length - request.length, acknowledgment.length))
        .isEqualTo(request);
    first.close();
    second.close();
    ends[0].close();
    ends[1].close();
  }

  /** Whether a frame holds an IPv4 packet of protocol 6. */
  private static boolean isTcp(byte[] frame) {
    return frame[12] == 0x08 && frame[13] == 0x00 && frame[23] == 6;
  }
}
