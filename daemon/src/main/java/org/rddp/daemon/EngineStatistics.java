package org.rddp.daemon;

import java.util.function.Supplier;
import org.rddp.daemon.control.EngineWatch;
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

/** Registers the counters of an engine and of its layers under their names. */
final class EngineStatistics {
  private EngineStatistics() {}

  static void add(Statistics statistics, Engine engine, FrameDevice device) {
    String prefix = engine.name() + ".";
    EngineCounters engineCounters = engine.counters();
    statistics.addActivity(() -> engineCounters.turns() - engineCounters.idleTurns());
    statistics.add(prefix + "engine.turns", engineCounters::turns);
    statistics.add(prefix + "engine.turns.idle", engineCounters::idleTurns);
    statistics.add(prefix + "engine.sleeps", engineCounters::sleeps);
    statistics.add(prefix + "engine.wakes", engineCounters::wakes);
    statistics.add(prefix + "engine.requests", engineCounters::requests);
    statistics.add(prefix + "engine.completions", engineCounters::completions);
    statistics.add(prefix + "engine.connections.opened", engineCounters::connectionsOpened);
    statistics.add(prefix + "engine.connections.closed", engineCounters::connectionsClosed);
    statistics.add(prefix + "engine.startup.errors", engineCounters::startupErrors);
    statistics.add(prefix + "engine.startup.pending", engineCounters::startupsPending);
    statistics.add(prefix + "engine.startup.evicted", engineCounters::startupsEvicted);
    statistics.add(prefix + "engine.startup.refused", engineCounters::startupsRefused);
    statistics.add(prefix + "engine.startup.withdrawn", engineCounters::startupsWithdrawn);
    statistics.add(prefix + "engine.startup.retried", engineCounters::startupsRetried);
    statistics.add(prefix + "engine.introductions.refused", engineCounters::introductionsRefused);
    statistics.add(prefix + "engine.introductions.kept", engineCounters::introductionsKept);
    statistics.add(prefix + "engine.introductions.expired", engineCounters::introductionsExpired);
    statistics.add(prefix + "engine.streams.opened", engineCounters::streamsOpened);
    statistics.add(prefix + "engine.streams.closed", engineCounters::streamsClosed);
    statistics.add(prefix + "engine.streams.refused", engineCounters::streamsRefused);
    statistics.add(prefix + "engine.streams.reset", engineCounters::streamsReset);
    statistics.add(prefix + "engine.streams.bridged", engineCounters::streamsBridged);
    statistics.add(
        prefix + "engine.startup.first-message-awaited", engineCounters::firstMessagesAwaited);
    statistics.add(prefix + "engine.stream.errors", engineCounters::streamErrors);
    statistics.add(prefix + "engine.faults", engineCounters::faults);
    statistics.add(prefix + "engine.restarts", engineCounters::restarts);
    statistics.add(prefix + "stags", () -> engine.ddp().taggedBuffers().size());
    // A restarted engine has new counters of its layers, from 0.
    Supplier<SendCounters> sent = () -> engine.ddp().sendCounters();
    statistics.add(prefix + "ddp.segments.sent", () -> sent.get().segments());
    statistics.add(prefix + "ddp.octets.sent", () -> sent.get().octets());
    Supplier<ReceiveCounters> received = () -> engine.ddp().receiveCounters();
    statistics.add(prefix + "ddp.segments.placed", () -> received.get().segmentsPlaced());
    statistics.add(prefix + "ddp.octets.placed", () -> received.get().octetsPlaced());
    statistics.add(prefix + "ddp.messages.tagged", () -> received.get().taggedMessagesDelivered());
    statistics.add(
        prefix + "ddp.messages.untagged", () -> received.get().untaggedMessagesDelivered());
    statistics.add(
        prefix + "ddp.segments.placed.early", () -> received.get().segmentsPlacedEarly());
    statistics.add(prefix + "ddp.segments.held", () -> received.get().segmentsHeld());
    statistics.add(prefix + "ddp.segments.refused", () -> received.get().segmentsRefused());
    addTcp(statistics, prefix + "tcp.", engine);
    addIp(statistics, prefix + "ip.", () -> engine.tcp().ipCounters());
    if (engine.tcp().security() != null) {
      addEsp(statistics, prefix + "esp.", engine.tcp().security().counters());
    }
    statistics.add(prefix + "packets", () -> device.pool().capacity());
    statistics.add(prefix + "packets.free", () -> device.pool().available());
    if (device instanceof DpdkDevice dpdk && dpdk.queue() == 0) {
      addPort(statistics, prefix + "port.", dpdk);
    }
  }

  static void add(Statistics statistics, Engine engine, EngineWatch watch) {
    String prefix = engine.name() + ".engine.";
    statistics.add(prefix + "stalled", () -> watch.isStalled() ? 1 : 0);
    statistics.add(prefix + "stalls", watch::stalls);
  }

  private static void addTcp(Statistics statistics, String prefix, Engine engine) {
    Supplier<TcpCounters> tcp = () -> engine.tcp().counters();
    statistics.add(prefix + "connections", () -> engine.tcp().connections());
    statistics.add(prefix + "packets.held", () -> engine.tcp().packetsHeld());
    statistics.add(prefix + "segments.in", () -> tcp.get().segmentsIn);
    statistics.add(prefix + "segments.out", () -> tcp.get().segmentsOut);
    statistics.add(prefix + "trains.in", () -> tcp.get().trainsIn);
    statistics.add(prefix + "trains.out", () -> tcp.get().trainsOut);
    statistics.add(prefix + "trains.segments.in", () -> tcp.get().trainSegmentsIn);
    statistics.add(prefix + "trains.segments.out", () -> tcp.get().trainSegmentsOut);
    statistics.add(prefix + "octets.in", () -> tcp.get().octetsIn);
    statistics.add(prefix + "octets.out", () -> tcp.get().octetsOut);
    statistics.add(prefix + "retransmitted", () -> tcp.get().retransmitted);
    statistics.add(prefix + "timeouts", () -> tcp.get().timeouts);
    statistics.add(prefix + "retransmits.fast", () -> tcp.get().fastRetransmits);
    statistics.add(prefix + "out.of.order", () -> tcp.get().outOfOrder);
    statistics.add(prefix + "octets.kept", () -> tcp.get().octetsKept);
    statistics.add(prefix + "duplicates", () -> tcp.get().duplicates);
    statistics.add(prefix + "path.mtu.lowered", () -> tcp.get().pathMtuLowered);
    statistics.add(prefix + "checksum.errors", () -> tcp.get().checksumErrors);
    statistics.add(prefix + "malformed", () -> tcp.get().malformed);
    statistics.add(prefix + "refused", () -> tcp.get().refused);
    statistics.add(prefix + "resets.in", () -> tcp.get().resetsIn);
    statistics.add(prefix + "resets.out", () -> tcp.get().resetsOut);
    statistics.add(prefix + "syns.dropped", () -> tcp.get().synsDropped);
    statistics.add(prefix + "established", () -> tcp.get().established);
    statistics.add(prefix + "packets.exhausted", () -> tcp.get().packetsExhausted);
    statistics.add(prefix + "device.busy", () -> tcp.get().deviceBusy);
  }

  private static void addIp(Statistics statistics, String prefix, Supplier<IpCounters> ip) {
    statistics.add(prefix + "frames.ignored", () -> ip.get().framesIgnored);
    statistics.add(prefix + "malformed", () -> ip.get().malformed);
    statistics.add(prefix + "checksum.errors", () -> ip.get().checksumErrors);
    statistics.add(prefix + "address.errors", () -> ip.get().addressErrors);
    statistics.add(prefix + "address.conflicts", () -> ip.get().addressConflicts);
    statistics.add(prefix + "address.duplicates", () -> ip.get().addressDuplicates);
    statistics.add(prefix + "router.advertisements", () -> ip.get().routerAdvertisements);
    statistics.add(prefix + "router.redirects", () -> ip.get().redirects);
    statistics.add(prefix + "neighbour.conflicts", () -> ip.get().neighbourConflicts);
    statistics.add(prefix + "unresolved", () -> ip.get().unresolved);
    statistics.add(prefix + "fragments", () -> ip.get().fragments);
    statistics.add(prefix + "fragments.dropped", () -> ip.get().fragmentsDropped);
    statistics.add(prefix + "reassembled", () -> ip.get().reassembled);
    statistics.add(prefix + "icmp.errors.in", () -> ip.get().icmpErrors);
    statistics.add(prefix + "icmp.errors.out", () -> ip.get().icmpErrorsOut);
    statistics.add(prefix + "link.downs", () -> ip.get().linkDowns);
    statistics.add(prefix + "looped", () -> ip.get().looped);
    statistics.add(prefix + "loop.dropped", () -> ip.get().loopDropped);
    statistics.add(prefix + "handed.over.in", () -> ip.get().handedOverIn);
    statistics.add(prefix + "handed.over.out", () -> ip.get().handedOver);
    statistics.add(prefix + "handed.over.dropped", () -> ip.get().handOversDropped);
  }

  private static void addEsp(Statistics statistics, String prefix, EspCounters esp) {
    statistics.add(prefix + "associations", () -> esp.associations);
    statistics.add(prefix + "sealed", () -> esp.sealed);
    statistics.add(prefix + "opened", () -> esp.opened);
    statistics.add(prefix + "clear", () -> esp.clear);
    statistics.add(prefix + "discarded", () -> esp.discarded);
    statistics.add(prefix + "unknown.spi", () -> esp.unknownSpi);
    statistics.add(prefix + "replayed", () -> esp.replayed);
    statistics.add(prefix + "forged", () -> esp.forged);
    statistics.add(prefix + "malformed", () -> esp.malformed);
    statistics.add(prefix + "mismatched", () -> esp.mismatched);
    statistics.add(prefix + "no.association", () -> esp.noAssociation);
    statistics.add(prefix + "expired", () -> esp.expired);
    statistics.add(prefix + "too.long", () -> esp.tooLong);
    statistics.add(prefix + "exhausted", () -> esp.exhausted);
  }

  private static void addPort(Statistics statistics, String prefix, DpdkDevice device) {
    statistics.add(
        prefix + "up",
        () -> {
          device.refreshLink();
          return device.up() ? 1 : 0;
        });
    statistics.add(prefix + "frames.in", () -> device.port().statistics().framesIn());
    statistics.add(prefix + "frames.out", () -> device.port().statistics().framesOut());
    statistics.add(prefix + "octets.in", () -> device.port().statistics().octetsIn());
    statistics.add(prefix + "octets.out", () -> device.port().statistics().octetsOut());
    statistics.add(prefix + "missed", () -> device.port().statistics().missed());
    statistics.add(prefix + "errors.in", () -> device.port().statistics().errorsIn());
    statistics.add(prefix + "errors.out", () -> device.port().statistics().errorsOut());
    statistics.add(prefix + "no.buffer", () -> device.port().statistics().noBuffer());
    statistics.add(prefix + "dropped.chains", device::droppedChains);
  }
}
