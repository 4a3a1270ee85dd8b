package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.rddp.device.NativePacketPool;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpSettings;

/**
 * One connection that always has something to send, and how much of it arrives. Packet pools are
 * kept from one transfer to the next.
 */
final class GoodputTransfer {
  private static final int PACKETS = 16_384;
  private static final int MTU = 1500;

  private final NativePacketPool clientPool = new NativePacketPool(PACKETS, 2048);
  private final NativePacketPool serverPool = new NativePacketPool(PACKETS, 2048);
  private final FrameStore frames = new FrameStore();

  /**
   * Transfers for a while.
   *
   * @param there how the link is in the direction of the data
   * @param back how it is in that of the acknowledgments
   * @param before how long first, without looking, in nanoseconds
   * @param during how long is looked
   * @return full segments that arrived per round trip of the empty link, in their turn
   */
  double segmentsPerRoundTrip(
      long seed,
      TcpSettings settings,
      WireSettings there,
      WireSettings back,
      long before,
      long during) {
    Network network = new Network(seed, frames);
    SimulatedHost client = host(network, "10.0.0.1", settings, clientPool);
    SimulatedHost server = host(network, "10.0.0.2", settings, serverPool);
    network.join(client.card(), server.card(), there, back);
    BulkUser source = new BulkUser(true);
    BulkUser sink = new BulkUser(false);
    server.stack().listen(7, (stream, address, port) -> sink);
    client.stack().connect(server.address(), 7, source);
    client.scheduleTurn();
    network.run(() -> sink.stream != null, Long.MAX_VALUE);
    network.run(() -> false, network.now() + before);
    long from = sink.stream.receivePosition();
    long began = network.now();
    network.run(() -> false, began + during);
    long octets = sink.stream.receivePosition() - from;
    double roundTrips = (double) during / (there.delay() + back.delay());
    double segments = (double) octets / source.stream.emss();
    end(network, client);
    end(network, server);
    return segments / roundTrips;
  }

  private static SimulatedHost host(
      Network network, String address, TcpSettings settings, NativePacketPool pool) {
    return new SimulatedHost(
        network,
        Ipv4Address.parse(address),
        settings,
        pool,
        MTU,
        LongFrames.NONE,
        1,
        Families.IPV4,
        null);
  }

  private static void end(Network network, SimulatedHost host) {
    host.stack().close();
    host.powerOff();
    network.run(() -> false, Long.MAX_VALUE);
    assertThat(host.pool().available()).isEqualTo(host.pool().capacity());
  }
}
