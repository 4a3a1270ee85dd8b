package org.rddp.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Memory;

class DevicesTest {
  private final NativePacketPool here = new NativePacketPool(32, 2048);
  private final NativePacketPool there = new NativePacketPool(32, 2048);
  private final LoopedDevice[] link = LoopedDevice.pair(here, there, 1500, 16);
  private final long[] packets = new long[64];

  private static long frame(PacketPool pool, int number, int length) {
    long packet = pool.allocate();
    long address = pool.address(packet);
    Memory.fill(address, length, number);
    pool.window(packet, address, length);
    return packet;
  }

  private static int number(PacketPool pool, long packet) {
    return Memory.getByte(pool.address(packet) + pool.length(packet) - 1);
  }

  @Test
  void shouldCountReferences() {
    long packet = here.allocate();
    assertThat(here.available()).isEqualTo(31);
    assertThat(here.shared(packet)).isFalse();
    here.retain(packet);
    assertThat(here.shared(packet)).isTrue();
    here.release(packet);
    assertThat(here.available()).isEqualTo(31);
    here.release(packet);
    assertThat(here.available()).isEqualTo(32);
    assertThatThrownBy(() -> here.release(packet)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldGiveEveryPacketOnceAndThenNone() {
    List<Long> all = new ArrayList<>();
    for (long packet = here.allocate(); packet != 0; packet = here.allocate()) {
      all.add(packet);
      assertThat(here.address(packet) - here.start(packet)).isGreaterThanOrEqualTo(128);
      assertThat(here.end(packet) - here.address(packet)).isEqualTo(here.room());
    }
    assertThat(all).hasSize(32).doesNotHaveDuplicates();
    assertThat(here.available()).isZero();
  }

  @Test
  void shouldRefuseAWindowOutsideOfThePacket() {
    long packet = here.allocate();
    long start = here.start(packet);
    assertThatThrownBy(() -> here.window(packet, start - 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> here.window(packet, start, 128 + 2049))
        .isInstanceOf(IllegalArgumentException.class);
    here.window(packet, start, 128 + 2048);
    assertThat(here.length(packet)).isEqualTo(128 + 2048);
  }

  @Test
  void shouldCarryFramesInOrderAsCopies() {
    for (int i = 0; i < 5; i++) {
      packets[i] = frame(here, i, 60 + i);
    }
    assertThat(link[0].transmit(packets, 0, 5)).isEqualTo(5);
    assertThat(here.available()).isEqualTo(32);
    assertThat(link[1].receive(packets)).isEqualTo(5);
    for (int i = 0; i < 5; i++) {
      assertThat(there.length(packets[i])).isEqualTo(60 + i);
      assertThat(number(there, packets[i])).isEqualTo(i);
      there.release(packets[i]);
    }
    assertThat(there.available()).isEqualTo(32);
  }

  @Test
  void shouldTakeOnlyWhatTheOtherEndHasRoomFor() {
    for (int i = 0; i < 20; i++) {
      packets[i] = frame(here, i, 60);
    }
    assertThat(link[0].transmit(packets, 0, 20)).isEqualTo(16);
    assertThat(link[0].transmit(packets, 16, 4)).isZero();
    long[] few = new long[3];
    assertThat(link[1].receive(few)).isEqualTo(3);
    assertThat(link[0].transmit(packets, 16, 4)).isEqualTo(3);
    link[1].close();
    assertThat(link[0].up()).isFalse();
    assertThat(there.available()).isEqualTo(29);
  }

  @Test
  void shouldLoseFramesWhenTheOtherEndsPoolIsEmpty() {
    int taken = 0;
    while (there.allocate() != 0) {
      taken++;
    }
    packets[0] = frame(here, 1, 60);
    assertThat(link[0].transmit(packets, 0, 1)).isEqualTo(1);
    assertThat(taken).isEqualTo(32);
    assertThat(link[1].missed()).isEqualTo(1);
    assertThat(here.available()).isEqualTo(32);
  }

  @Test
  void shouldKeepWhatTheDeviceDoesNotTakeForTheNextTurn() {
    ScriptedDevice device = new ScriptedDevice(here, 1500);
    TransmitQueue queue = new TransmitQueue(device, 4);
    device.accepts = 0;
    for (int i = 0; i < 4; i++) {
      assertThat(queue.offer(frame(here, i, 60))).isTrue();
    }
    long tooMany = frame(here, 4, 60);
    assertThat(queue.offer(tooMany)).isFalse();
    here.release(tooMany);
    device.accepts = 3;
    assertThat(queue.flush()).isEqualTo(3);
    for (int i = 4; i < 7; i++) {
      assertThat(queue.offer(frame(here, i, 60))).isTrue();
    }
    device.accepts = 100;
    assertThat(queue.flush()).isEqualTo(4);
    for (int i = 0; i < 7; i++) {
      assertThat(device.take()[0]).isEqualTo((byte) i);
    }
    device.accepts = 0;
    queue.offer(frame(here, 9, 60));
    queue.clear();
    assertThat(here.available()).isEqualTo(32);
  }

  @Test
  void shouldShowFramesInBothDirections() {
    List<String> seen = new ArrayList<>();
    CapturedDevice captured =
        new CapturedDevice(
            link[0],
            (sent, address, length) ->
                seen.add(
                    (sent ? "sent " : "received ") + length + " of " + Memory.getByte(address)));
    packets[0] = frame(here, 1, 60);
    assertThat(captured.transmit(packets, 0, 1)).isEqualTo(1);
    packets[0] = frame(there, 2, 100);
    link[1].transmit(packets, 0, 1);
    assertThat(captured.receive(packets)).isEqualTo(1);
    here.release(packets[0]);
    assertThat(seen).containsExactly("sent 60 of 1", "received 100 of 2");
  }

  @Test
  void shouldShowAFrameOnlyWhenTheDeviceTakesIt() {
    int[] seen = new int[1];
    CapturedDevice captured = new CapturedDevice(link[0], (sent, address, length) -> seen[0]++);
    for (int i = 0; i < 20; i++) {
      packets[i] = frame(here, i, 60);
    }
    assertThat(captured.transmit(packets, 0, 20)).isEqualTo(16);
    assertThat(seen[0]).isEqualTo(16);
    assertThat(here.shared(packets[16])).isFalse();
  }
}
