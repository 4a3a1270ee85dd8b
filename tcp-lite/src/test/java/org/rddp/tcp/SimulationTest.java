package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.ImpairedDevice;
import org.rddp.simulation.NetworkCounters;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.OctetPattern;
import org.rddp.simulation.WireSettings;

/** Two stacks on a bad link, one life per seed, under virtual time. */
class SimulationTest {
  private static final int LIVES = 300;
  private static final long SECOND = 1_000_000_000L;

  @Test
  void shouldDeliverEveryOctetOnceAndInOrderWhateverTheLinkDoes() {
    NetworkCounters done = new NetworkCounters();
    long retransmitted = 0;
    long outOfOrder = 0;
    long fast = 0;
    long early = 0;
    for (long seed = 1; seed <= LIVES; seed++) {
      Life life = new Life(seed);
      life.run();
      done.add(life.first.network().counters());
      done.add(life.second.network().counters());
      retransmitted += life.client.counters().retransmitted;
      outOfOrder += life.server.counters().outOfOrder;
      early += life.serverPeer.outOfOrder;
      fast += life.client.counters().fastRetransmits;
    }
    assertThat(
            Stream.of(
                NetworkEvent.LOST,
                NetworkEvent.DUPLICATED,
                NetworkEvent.REORDERED,
                NetworkEvent.CORRUPTED))
        .allMatch(event -> done.count(event) > 0);
    assertThat(new long[] {retransmitted, outOfOrder, fast, early}).doesNotContain(0);
  }

  /** One connection from opening to closing, everything about it drawn from a seed. */
  private static final class Life {
    private final long seed;
    private final NativePacketPool firstPool;
    private final NativePacketPool secondPool;
    private final long step;
    private final Peer clientPeer;
    private final Peer serverPeer;
    private final int toServer;
    private final int toClient;
    private final ImpairedDevice first;
    private final ImpairedDevice second;
    private final TcpStack client;
    private final TcpStack server;
    private long now;

    Life(long seed) {
      this.seed = seed;
      SplittableRandom random = new SplittableRandom(seed);
      int mtu = random.nextBoolean() ? 1500 : 300 + random.nextInt(8000);
      firstPool = new NativePacketPool(256 + random.nextInt(512), 9100);
      secondPool = new NativePacketPool(256 + random.nextInt(512), 9100);
      LoopedDevice[] link = LoopedDevice.pair(firstPool, secondPool, mtu, 1 + random.nextInt(200));
      first = impaired(link[0], random);
      second = impaired(link[1], random);
      step = 1000L * (1 + random.nextInt(1000));
      now = random.nextLong(SECOND);
      client = new TcpStack(first, address(1), settings(random), random.split(), now);
      server = new TcpStack(second, address(2), settings(random), random.split(), now);
      toServer = random.nextInt(400_000);
      toClient = random.nextBoolean() ? 0 : random.nextInt(400_000);
      int largest = random.nextBoolean() ? 0 : 1 + random.nextInt(9000);
      OctetPattern up = new OctetPattern(seed);
      OctetPattern down = new OctetPattern(-seed);
      clientPeer = new Peer(up, down, toServer, largest, seed);
      serverPeer = new Peer(down, up, toClient, largest, seed + 1);
    }

    private static ImpairedDevice impaired(FrameDevice device, SplittableRandom random) {
      double drop = random.nextInt(4) == 0 ? 0 : random.nextDouble(0.1);
      double others = random.nextInt(4) == 0 ? 0 : random.nextDouble(0.05);
      WireSettings wire =
          WireSettings.PERFECT
              .withLoss(drop)
              .withDuplicate(others)
              .withReorder(others * 2)
              .withReorderDelay(7)
              .withCorrupt(others / 2);
      return new ImpairedDevice(device, random.nextLong(), wire);
    }

    private static TcpSettings settings(SplittableRandom random) {
      return TcpSettings.DEFAULTS
          .withReceiveBuffer(2048 + random.nextInt(1 << random.nextInt(12, 21)))
          .withWindowScale(random.nextInt(4) != 0)
          .withTimestamps(random.nextInt(4) != 0)
          .withConnectTimeout(600 * SECOND)
          .withUserTimeout(600 * SECOND)
          .withTimeWait(SECOND)
          .withMinimumRetransmission(SECOND / 100)
          .withMaximumRetransmission(5 * SECOND)
          .withInitialRetransmission(SECOND);
    }

    private static InterfaceAddress address(int host) {
      return new InterfaceAddress(Ipv4Address.parse("10.99.0." + host), 24);
    }

    void run() {
      server.listen(7, (stream, remote, port) -> serverPeer);
      client.connect(Ipv4Address.parse("10.99.0.2"), 7, clientPeer);
      long deadline = now + 24 * 3600 * SECOND;
      while (clientPeer.closed == null || serverPeer.closed == null) {
        turn(client);
        turn(server);
        now += step;
        if (firstPool.available() == firstPool.capacity() - client.packetsHeld()
            && secondPool.available() == secondPool.capacity() - server.packetsHeld()) {
          long next = Math.min(client.nextDeadline(), server.nextDeadline());
          if (next != Long.MAX_VALUE) {
            now = Math.max(now, next);
          }
        }
        assertThat(now).as("seed %d: still at it after a day", seed).isLessThan(deadline);
      }
      assertThat(clientPeer.wrong).as("seed %d", seed).isNull();
      assertThat(serverPeer.wrong).as("seed %d", seed).isNull();
      assertThat(clientPeer.closed).as("seed %d", seed).isEqualTo(CloseReason.NORMAL);
      assertThat(serverPeer.closed).as("seed %d", seed).isEqualTo(CloseReason.NORMAL);
      assertThat(serverPeer.received).as("seed %d", seed).isEqualTo(toServer);
      assertThat(clientPeer.received).as("seed %d", seed).isEqualTo(toClient);
      client.close();
      server.close();
      first.close();
      second.close();
      assertThat(firstPool.available()).as("seed %d", seed).isEqualTo(firstPool.capacity());
      assertThat(secondPool.available()).as("seed %d", seed).isEqualTo(secondPool.capacity());
      assertThat(client.packetsHeld() + server.packetsHeld()).as("seed %d", seed).isZero();
    }

    private void turn(TcpStack stack) {
      stack.receive(now);
      stack.advance(now);
      stack.transmit(now);
    }
  }
}
