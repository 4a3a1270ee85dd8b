package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/** What an engine looks at in which turns, while something comes in each of them. */
class EngineTest {
  /** In so many turns each is looked at once. */
  private static final int TURNS = 16;

  private final LoopedDevice[] link =
      LoopedDevice.pair(new NativePacketPool(256, 1514), new NativePacketPool(256, 1514), 1500, 64);
  private long now = 1_000_000_000L;
  private final TcpStack tcp = stack(link[0], "10.0.0.1");
  private final TcpStack peer = stack(link[1], "10.0.0.2");
  private final Engine engine =
      new Engine(
          "test",
          new InterfaceAddress(Ipv4Address.parse("10.0.0.1"), 24),
          tcp,
          new DdpEngine(new TaggedBuffers(1, new SplittableRandom(1))),
          new RdmapSettings(MpaSettings.DEFAULTS, 16, 16),
          new FaultHandler() {
            @Override
            public void onFault(String where, Throwable cause) {
              throw new AssertionError(where, cause);
            }

            @Override
            public void onRefused(String detail) {}
          });

  private TcpStack stack(LoopedDevice device, String address) {
    return new TcpStack(
        device,
        new InterfaceAddress(Ipv4Address.parse(address), 24),
        TcpSettings.DEFAULTS,
        new SplittableRandom(1),
        now);
  }

  /** Turns in each of which a frame comes. */
  private void busyTurns(int number) {
    for (int i = 0; i < number; i++) {
      now += 1000;
      peer.announce(now);
      peer.transmit(now);
      assertThat(engine.turn(now)).isPositive();
    }
  }

  @Test
  void shouldCarryOutCommandsThoughFramesComeInEveryTurn() {
    busyTurns(TURNS);
    List<String> done = new ArrayList<>();
    engine.execute(() -> done.add("command"));
    busyTurns(TURNS);
    assertThat(done).containsExactly("command");
  }

  @Test
  void shouldServeTimersThoughFramesComeInEveryTurn() {
    tcp.connect(Ipv4Address.parse("10.0.0.2"), 7, new MpaPeer().transport());
    busyTurns(TURNS);
    assertThat(tcp.connections()).isOne();
    now += TcpSettings.DEFAULTS.connectTimeout();
    busyTurns(TURNS);
    assertThat(tcp.connections()).isZero();
  }
}
