package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.testing.InMemoryTcpPair;
import org.rddp.wire.Memory;

/** Atomics of several streams, and of programs on this machine, on one number (RFC 7306 5). */
class AtomicityTest {
  private static final int ADDITIONS = 20_000;

  @Test
  void shouldLoseNoAdditionOfTwoStreams() {
    RdmapFixture rdmap = new RdmapFixture();
    RawUlpduPeer other = RawUlpduPeer.initiator();
    RdmapSettings settings = new RdmapSettings(MpaSettings.DEFAULTS, 8, 8);
    RecordingRdmap user = new RecordingRdmap();
    user.responder(rdmap.engine, rdmap.domain, settings);
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, other.transport(), 1448);
    tcp.run(() -> rdmap.engine.send(1000));
    user.startup.accept(new byte[0]);
    tcp.run(() -> rdmap.engine.send(1000));
    int stag = rdmap.register(AccessRights.REMOTE_ATOMIC);
    Memory.putLongNative(rdmap.memory.address(), 0);
    for (int msn = 1; msn <= 50; msn++) {
      String request =
          "414a 00000000 00000001 %08x 00000000 00000000 00000000 %08x".formatted(msn, stag)
              + "0000000000000000 0000000000000001"
              + "00".repeat(16)
              + "ff".repeat(8);
      rdmap.peer.send(request);
      other.send(request);
      tcp.run(() -> rdmap.engine.send(1000));
      rdmap.run();
    }
    assertThat(Memory.getLongNative(rdmap.memory.address())).isEqualTo(100);
    assertThat(rdmap.sent()).hasSize(50);
    assertThat(other.received()).hasSize(50);
  }

  /** Both operations, by one thread, while another adds by itself. */
  @Test
  @Tag("RDMAPX-5-01")
  @Tag("RDMAPX-5-02")
  @Tag("RDMAPX-5-04")
  void shouldLoseNoAdditionOfALocalProgram() throws InterruptedException {
    GuardedMemory memory = new GuardedMemory(8);
    long address = memory.address();
    Memory.putLongNative(address, 0);
    Thread program =
        new Thread(() -> {
          for (int i = 0; i < ADDITIONS; i++) {
            long before = Memory.getLongVolatileNative(address);
            while (!Memory.compareAndSetLongNative(address, before, before + 1)) {
              before = Memory.getLongVolatileNative(address);
            }
          }
        });
    byte[] swap = new byte[AtomicRequest.LENGTH];
    program.start();
    for (int i = 0; i < ADDITIONS; i++) {
      assertThat(AtomicRequest.execute(addition(), address, Integer.MAX_VALUE)).isTrue();
      long now = Memory.getLongVolatileNative(address);
      long highBit = 1L << 63;
      AtomicRequest.write(
          swap,
          AtomicRequest.COMPARE_SWAP,
          2,
          new StreamRequest(2).operands(now ^ highBit, highBit, now, highBit));
      assertThat(AtomicRequest.execute(swap, address, Integer.MAX_VALUE)).isTrue();
    }
    program.join();
    assertThat(Memory.getLongNative(address)).isEqualTo(2L * ADDITIONS);
  }

  private static byte[] addition() {
    byte[] add = new byte[AtomicRequest.LENGTH];
    AtomicRequest.write(
        add, AtomicRequest.FETCH_ADD, 1, new StreamRequest(1).operands(1, 0, 0, -1));
    return add;
  }

  /** Otherwise an engine could be kept busy by a program that changes its memory all the time. */
  @Test
  void shouldGiveUpAfterItsTries() {
    GuardedMemory memory = new GuardedMemory(8);
    Memory.putLongNative(memory.address(), 5);
    byte[] add = addition();
    assertThat(AtomicRequest.execute(add, memory.address(), 0)).isFalse();
    assertThat(add).as("the request").isEqualTo(addition());
    assertThat(AtomicRequest.execute(add, memory.address(), 1)).isTrue();
    assertThat(Memory.getLongNative(memory.address())).isEqualTo(6);
  }
}
