package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.device.FrameDevice;
import org.rddp.device.OffloadingDevice;
import org.rddp.device.Offloads;
import org.rddp.device.WrappedDevice;

/** A device that throws while one connection sends: the connection ends, others send as before. */
class ThrowingDeviceTest {
  private static final class ThrowingDevice extends WrappedDevice {
    private boolean armed;

    ThrowingDevice(FrameDevice device) {
      super(device);
    }

    @Override
    public int offloads() {
      return device().offloads();
    }

    @Override
    public void requestOffload(long packet, int link, int ip, int tcp, int segment) {
      if (armed) {
        armed = false;
        throw new IllegalStateException("the device has failed");
      }
      device().requestOffload(packet, link, ip, tcp, segment);
    }
  }

  private ThrowingDevice device;
  private final Script script =
      new Script(
          LossScript.sack(),
          1500,
          link -> device = new ThrowingDevice(new OffloadingDevice(link, Offloads.CHECKSUM)));

  /** Two connections with a window of that many octets, from the peer's ports 1 and 2. */
  private TcpStream[] establishTwo(int window) {
    TcpStream[] streams = new TcpStream[2];
    script.listen((stream, address, port) -> {
      streams[port - 1] = stream;
      return new Recorder();
    });
    for (int port = 1; port <= 2; port++) {
      script.theirPort = port;
      script.receive("S seq 0 mss 1000 sackok");
      script.expect("S. seq 0 ack 1");
      script.receive(". seq 1 ack 1 win 65535");
      script.receive(". seq 1 ack 1 win " + window);
    }
    return streams;
  }

  private int send(TcpStream stream, int segments) {
    script.stream = stream;
    LossScript.queue(script, segments);
    script.turn();
    return script.drain();
  }

  @Test
  @DisplayName("RFC 8985 7.3: a probe that throws lets no other connection pass its window")
  void shouldKeepToTheCongestionWindowWhenAnotherConnectionsProbeThrows() {
    TcpStream[] streams = establishTwo(65535);
    assertThat(send(streams[0], 11)).isEqualTo(10);
    device.armed = true;
    script.pass(2 * Script.MILLISECOND);
    assertThat(device.armed).isFalse();
    assertThat(script.stack.connections()).isEqualTo(1);
    script.drain();
    assertThat(send(streams[1], 60)).isEqualTo(10);
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.2.1: a forced segment that throws makes no other window silly")
  void shouldAvoidSillyWindowsWhenAnotherConnectionsForcedSegmentThrows() {
    TcpStream[] streams = establishTwo(100);
    assertThat(send(streams[0], 1)).isZero();
    device.armed = true;
    script.pass(2 * Script.SECOND);
    assertThat(device.armed).isFalse();
    assertThat(script.stack.connections()).isEqualTo(1);
    script.drain();
    assertThat(send(streams[1], 1)).isZero();
  }
}
