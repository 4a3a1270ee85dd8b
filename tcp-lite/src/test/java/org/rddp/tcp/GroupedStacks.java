package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.SteeredDevice;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.simulation.OctetPattern;

/**
 * Several stacks with one address, each on a queue of one device, and a host with one stack. A test
 * makes the stacks.
 */
abstract class GroupedStacks {
  static final long MILLISECOND = 1_000_000;
  static final int CONNECTIONS = 12;
  static final int PORT = 7;

  /** What each end of a connection sends. */
  static final int OCTETS = 50_000;

  private final NativePacketPool ourPool = new NativePacketPool(4096, 2048);
  private final NativePacketPool theirPool = new NativePacketPool(4096, 2048);
  final LoopedDevice[] link = LoopedDevice.pair(ourPool, theirPool, 1500, 512);
  final SplittableRandom random = new SplittableRandom(7);
  final List<TcpStack> ours = new ArrayList<>();
  TcpStack theirs;
  SteeredDevice device;
  long now = MILLISECOND;

  static InterfaceAddress interfaceAddress(int host) {
    return new InterfaceAddress(Ipv4Address.parse("10.0.0." + host), 24)
        .withIpv6(new Ipv6Network(Ipv6Address.parse("2001:db8::" + host), 64, "a secret"));
  }

  final void turn() {
    for (TcpStack each : ours) {
      turn(each);
    }
    turn(theirs);
    now += MILLISECOND / 10;
  }

  private void turn(TcpStack stack) {
    stack.receive(now);
    stack.advance(now);
    stack.transmit(now);
  }

  static Peer peer(long seed) {
    return new Peer(new OctetPattern(1), new OctetPattern(1), OCTETS, 0, seed);
  }

  /** Accepts every connection; its end is added to a list. */
  static Acceptor accepting(List<Peer> peers) {
    return (stream, address, port) -> {
      Peer server = peer(port);
      peers.add(server);
      return server;
    };
  }

  /** Turns until all have closed in order. */
  final void finish(List<Peer> peers) {
    long deadline = now + 60_000 * MILLISECOND;
    while (peers.stream().anyMatch(each -> each.closed == null)) {
      turn();
      assertThat(now).as("still at it").isLessThan(deadline);
    }
    assertThat(peers)
        .allSatisfy(peer -> {
          assertThat(peer.wrong).isNull();
          assertThat(peer.closed).isEqualTo(CloseReason.NORMAL);
          assertThat(peer.received).isEqualTo(OCTETS);
        });
  }

  /** Ends everything; every packet must be back. */
  final void close() {
    ours.forEach(TcpStack::close);
    theirs.close();
    for (int i = 0; i < ours.size(); i++) {
      device.queue(i).close();
    }
    link[1].close();
    assertThat(ourPool.available()).isEqualTo(ourPool.capacity());
    assertThat(theirPool.available()).isEqualTo(theirPool.capacity());
  }

  /** Connections from each of our stacks to an address of the other host. */
  final List<Peer> connectOut(HostAddress to) {
    List<Peer> peers = new ArrayList<>();
    theirs.listen(PORT, accepting(peers));
    for (int i = 0; i < CONNECTIONS; i++) {
      Peer client = peer(i);
      peers.add(client);
      ours.get(i % ours.size()).connect(to, PORT, client);
    }
    return peers;
  }
}
