package org.rddp.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.simulation.ImpairedDevice;
import org.rddp.simulation.WireSettings;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

class ImpairedLinkTest {
  private static final int MTU = 100;
  private static final int LENGTH = 60;
  private static final int FRAMES = 100;

  private final NativePacketPool pool = new NativePacketPool(256, 128);
  private final NativePacketPool near = new NativePacketPool(1024, 128);
  private final FrameDevice[] link = LoopedDevice.pair(pool, pool, MTU, 64);
  private final long[] packets = new long[64];
  private FrameDevice device;

  private void wrap(UnaryOperator<FrameDevice> impairment) {
    device = new ImpairedLink(link[0], near, impairment);
  }

  @AfterEach
  void shouldReleaseEveryPacketAndLeaveTheDeviceOpen() {
    device.close();
    assertThat(near.available()).isEqualTo(near.capacity());
    assertThat(pool.available()).isEqualTo(pool.capacity());
    assertThat(link[0].up()).isTrue();
  }

  /** Sends a frame with a number in it. */
  private void send(FrameDevice from, NativePacketPool its, int number) {
    long packet = its.allocate();
    its.window(packet, its.address(packet), LENGTH);
    Memory.putByte(its.address(packet), number);
    packets[0] = packet;
    assertThat(from.transmit(packets, 0, 1)).isEqualTo(1);
  }

  /**
   * Receives the frames that have arrived, checks that their numbers rise, and returns how many.
   */
  private int receive(FrameDevice at, NativePacketPool its, int first) {
    int count = at.receive(packets);
    for (int i = 0; i < count; i++) {
      assertThat(Memory.getByte(its.address(packets[i]))).isEqualTo(first + i);
      its.release(packets[i]);
    }
    return count;
  }

  @Test
  void shouldCarryFramesBothWays() {
    wrap(each -> each);
    for (int i = 0; i < FRAMES; i++) {
      send(device, near, i);
      assertThat(receive(link[1], pool, i)).isEqualTo(1);
      send(link[1], pool, i);
      assertThat(receive(device, near, i)).isEqualTo(1);
    }
  }

  @Test
  void shouldImpairFramesSent() {
    wrap(each -> new ImpairedDevice(each, 1, WireSettings.PERFECT.withLoss(1)));
    send(device, near, 0);
    device.receive(packets);
    assertThat(receive(link[1], pool, 0)).isZero();
  }

  @Test
  void shouldImpairFramesReceived() {
    wrap(each -> new ImpairedDevice(each, 1, WireSettings.PERFECT.withLoss(1)));
    send(link[1], pool, 0);
    assertThat(receive(device, near, 0)).isZero();
  }

  @Test
  void shouldSendCopiesSoThatTheSendersPacketsStayIntact() {
    wrap(each -> new ImpairedDevice(each, 1, WireSettings.PERFECT.withCorrupt(1)));
    long packet = near.allocate();
    near.window(packet, near.address(packet), LENGTH);
    Ethernet.write(near.address(packet), 2, 1, Ethernet.TYPE_IPV4);
    Ipv4.write(near.address(packet) + Ethernet.HEADER, LENGTH - Ethernet.HEADER, 0, 1, 2);
    byte[] octets = Memory.bytes(near.address(packet), LENGTH);
    near.retain(packet);
    packets[0] = packet;
    device.transmit(packets, 0, 1);
    assertThat(link[1].receive(packets)).isEqualTo(1);
    assertThat(Memory.bytes(pool.address(packets[0]), LENGTH)).isNotEqualTo(octets);
    pool.release(packets[0]);
    assertThat(Memory.bytes(near.address(packet), LENGTH)).isEqualTo(octets);
    near.release(packet);
  }

  @Test
  void shouldLoseNothingWhileTheDeviceTakesNoMore() {
    wrap(each -> each);
    for (int i = 0; i < FRAMES; i++) {
      send(device, near, i);
    }
    int arrived = 0;
    for (int turn = 0; turn < 2 * FRAMES && arrived < FRAMES; turn++) {
      arrived += receive(link[1], pool, arrived);
      device.receive(packets);
    }
    assertThat(arrived).isEqualTo(FRAMES);
  }
}
