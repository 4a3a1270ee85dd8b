package org.rddp.interop.linuxtcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;

class SampledDeviceTest {
  private static final int LENGTH = 60;

  private final NativePacketPool pool = new NativePacketPool(16, 128);
  private final FrameDevice[] link = LoopedDevice.pair(pool, pool, 100, 8);
  private final long[] packets = new long[8];
  private int shown;
  private FrameDevice device;

  @BeforeEach
  void wrap() {
    device = new SampledDevice(link[0], (sent, address, length) -> shown += sent ? 1 : 100, 3);
  }

  /** Sends that many frames on a device, one at a time, and takes them off the other. */
  private void cross(FrameDevice from, FrameDevice to, int frames) {
    for (int i = 0; i < frames; i++) {
      packets[0] = pool.allocate();
      pool.window(packets[0], pool.address(packets[0]), LENGTH);
      assertThat(from.transmit(packets, 0, 1)).isEqualTo(1);
      assertThat(to.receive(packets)).isEqualTo(1);
      pool.release(packets[0]);
    }
  }

  @Test
  void shouldShowFramesOfBothWaysUntilItHasShownEnough() {
    cross(device, link[1], 1);
    cross(link[1], device, 1);
    cross(device, link[1], 4);
    assertThat(shown).isEqualTo(102);
  }

  @Test
  void shouldPassEveryFrameThatItDoesNotShow() {
    cross(device, link[1], 20);
    cross(link[1], device, 20);
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldLeaveTheDeviceOpen() {
    device.close();
    assertThat(link[0].up()).isTrue();
  }
}
