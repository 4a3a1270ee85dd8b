package org.rddp.daemon;

import static org.rddp.daemon.control.PublishedValue.counter;
import static org.rddp.daemon.control.PublishedValue.fieldsOf;
import static org.rddp.daemon.control.PublishedValue.gauge;

import java.util.List;
import java.util.stream.Stream;
import org.rddp.daemon.control.EngineWatch;
import org.rddp.daemon.control.PublishedValue;
import org.rddp.daemon.control.Statistics;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineCounters;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.ddp.sending.SendCounters;
import org.rddp.device.FrameDevice;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.ip.EspCounters;
import org.rddp.ip.IpCounters;
import org.rddp.tcp.TcpCounters;

/** What the daemon publishes of an engine, of its layers and of its device. */
final class EngineStatistics {
  private static final List<PublishedValue<EngineCounters>> ENGINE = fieldsOf(EngineCounters.class);
  private static final List<PublishedValue<SendCounters>> SENT = fieldsOf(SendCounters.class);
  private static final List<PublishedValue<ReceiveCounters>> RECEIVED =
      fieldsOf(ReceiveCounters.class);
  private static final List<PublishedValue<TcpCounters>> TCP = fieldsOf(TcpCounters.class);
  private static final List<PublishedValue<IpCounters>> IP = fieldsOf(IpCounters.class);
  private static final List<PublishedValue<EspCounters>> ESP = fieldsOf(EspCounters.class);

  private static final List<PublishedValue<Engine>> HELD =
      List.of(
          gauge("stags", "STags in use.", each -> each.ddp().taggedBuffers().size()),
          gauge(
              "tcp_connections", "TCP connections in any state.", each -> each.tcp().connections()),
          gauge(
              "tcp_held_packets",
              "Packet buffers that TCP keeps: sent and not acknowledged, or received out of order.",
              each -> each.tcp().packetsHeld()));

  private static final List<PublishedValue<FrameDevice>> DEVICE =
      List.of(
          gauge("packets", "Packet buffers of the interface.", each -> each.pool().capacity()),
          gauge("packets_free", "Packet buffers that are free.", each -> each.pool().available()));

  private static final List<PublishedValue<DpdkDevice>> PORT =
      List.of(
          gauge(
              "port_up",
              "Whether the port has a link.",
              each -> {
                each.refreshLink();
                return each.up() ? 1 : 0;
              }),
          counter(
              "port_received_frames",
              "Frames received by the port.",
              each -> each.port().statistics().framesIn()),
          counter(
              "port_sent_frames",
              "Frames sent by the port.",
              each -> each.port().statistics().framesOut()),
          counter(
              "port_received_bytes",
              "Octets of frames received by the port.",
              each -> each.port().statistics().octetsIn()),
          counter(
              "port_sent_bytes",
              "Octets of frames sent by the port.",
              each -> each.port().statistics().octetsOut()),
          counter(
              "port_missed_frames",
              "Frames that the port dropped because its receive ring was full.",
              each -> each.port().statistics().missed()),
          counter(
              "port_receive_errors",
              "Frames that the port received damaged.",
              each -> each.port().statistics().errorsIn()),
          counter(
              "port_send_errors",
              "Frames that the port could not send.",
              each -> each.port().statistics().errorsOut()),
          counter(
              "port_no_buffer",
              "Receptions that failed because no packet buffer was free.",
              each -> each.port().statistics().noBuffer()),
          counter(
              "port_dropped_chains",
              "Frames in several buffers that could not be put together.",
              DpdkDevice::droppedChains));

  private static final List<PublishedValue<EngineWatch>> WATCH =
      List.of(
          gauge(
              "engine_stalled",
              "Whether the engine has made no turn for a second.",
              each -> each.isStalled() ? 1 : 0),
          counter(
              "engine_stalls",
              "Times that the engine made no turn for a second.",
              EngineWatch::stalls));

  private EngineStatistics() {}

  static void add(Statistics statistics, Engine engine, FrameDevice device) {
    EngineCounters counters = engine.counters();
    statistics.addActivity(() -> counters.turns - counters.idleTurns);
    String name = engine.name();
    statistics.add(name, ENGINE, () -> counters);
    // A restarted engine has new counters of its layers, from 0.
    statistics.add(name, SENT, () -> engine.ddp().sendCounters());
    statistics.add(name, RECEIVED, () -> engine.ddp().receiveCounters());
    statistics.add(name, TCP, () -> engine.tcp().counters());
    statistics.add(name, IP, () -> engine.tcp().ipCounters());
    if (engine.tcp().security() != null) {
      statistics.add(name, ESP, engine.tcp().security()::counters);
    }
    statistics.add(name, HELD, () -> engine);
    statistics.add(name, DEVICE, () -> device);
    if (device instanceof DpdkDevice dpdk && dpdk.queue() == 0) {
      statistics.add(name, PORT, () -> dpdk);
    }
  }

  static void add(Statistics statistics, Engine engine, EngineWatch watch) {
    statistics.add(engine.name(), WATCH, () -> watch);
  }

  /** All that the daemon may publish in {@code rddp stat}. */
  static List<PublishedValue<?>> all() {
    return Stream.<List<? extends PublishedValue<?>>>of(
            Statistics.published(),
            Daemon.HEAP,
            ENGINE,
            WATCH,
            HELD,
            SENT,
            RECEIVED,
            TCP,
            IP,
            ESP,
            DEVICE,
            PORT)
        .<PublishedValue<?>>flatMap(List::stream)
        .toList();
  }
}
