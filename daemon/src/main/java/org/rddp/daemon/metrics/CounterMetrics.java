package org.rddp.daemon.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.rddp.daemon.metrics.CounterMetric.Kind;

/** The metrics for the counters of {@code rddp stat}, by the counter's name. */
final class CounterMetrics {
  private static final String PREFIX = "rddp_";
  private static final Pattern NOT_IN_NAMES = Pattern.compile("[^a-z0-9]+");
  private static final Map<String, CounterMetric> METRICS = new HashMap<>();

  static {
    gauge("daemon.sessions", "sessions", "Sessions of programs.");
    gauge("daemon.memory.octets", "memory_bytes", "Memory of all programs, in octets.");
    gauge(
        "daemon.heap.limit",
        "heap_limit_bytes",
        "Octets of heap that sessions and connections may take.");
    gauge(
        "daemon.heap.octets",
        "heap_taken_bytes",
        "Octets of heap that sessions and connections may need at the most.");
    counter(
        "daemon.heap.refused",
        "heap_refused",
        "Sessions and connections refused because heap was used up.");
    counter("engine.turns", "engine_turns", "Turns of the duty cycle.");
    counter(
        "engine.turns.idle",
        "engine_idle_turns",
        "Turns of the duty cycle that found nothing to do.");
    counter(
        "engine.sleeps",
        "engine_sleeps",
        "Times that the engine's thread has slept until something woke it, or a timer was due.");
    counter(
        "engine.wakes",
        "engine_wakes",
        "Sleeps of the engine's thread that a frame, a program or a command has ended.");
    counter("engine.requests", "requests", "Work requests taken from programs.");
    counter("engine.completions", "completions", "Completions reported to programs.");
    counter(
        "engine.connections.opened",
        "connections_opened",
        "Connections that reached Full Operation.");
    counter(
        "engine.connections.closed",
        "connections_closed",
        "Connections that reached Full Operation and have ended.");
    counter(
        "engine.startup.errors",
        "startup_errors",
        "Peers refused because of an error in the startup of MPA.");
    gauge(
        "engine.startup.pending",
        "startups_pending",
        "Peers that have connected and whose MPA Request has not come.");
    counter(
        "engine.startup.evicted",
        "startups_evicted",
        "Peers reset before their MPA Request had come, to make room for others.");
    counter(
        "engine.startup.refused",
        "startups_refused",
        "Peers refused because a backlog or a session was full, or because they offered no RTR.");
    counter(
        "engine.startup.withdrawn",
        "startups_withdrawn",
        "Requests that ended before their program, which did not read, was told of them.");
    counter(
        "engine.startup.retried",
        "startups_retried",
        "Connections tried again with MPA revision 1.");
    counter(
        "engine.introductions.refused",
        "introductions_refused",
        "Queue pairs of peers refused: nobody has the number or expects them, or there was no room.");
    counter(
        "engine.introductions.kept",
        "introductions_kept",
        "Queue pairs of peers kept because their number did not expect a peer yet.");
    counter(
        "engine.introductions.expired",
        "introductions_expired",
        "Queue pairs of peers that were kept until the time for that was over.");
    counter(
        "engine.streams.opened",
        "octet_streams_opened",
        "Octet streams (connections of rddp sockets) that were established.");
    counter(
        "engine.streams.closed",
        "octet_streams_closed",
        "Octet streams that were established and have ended.");
    counter(
        "engine.streams.refused",
        "octet_streams_refused",
        "Octet streams of peers refused: too many waited for the listener, or there was no room.");
    counter(
        "engine.streams.reset",
        "octet_streams_reset",
        "Octet streams that this end has reset: a peer or program broke the rules, or octets were unread.");
    counter(
        "engine.streams.bridged",
        "octet_streams_bridged",
        "Octet streams that pass through a socket, for a process without their memory.");
    counter(
        "engine.stream.errors",
        "stream_errors",
        "Connections that ended with an error of MPA, DDP or RDMAP in Full Operation.");
    counter(
        "engine.faults",
        "engine_faults",
        "Internal errors, each of which ended one connection or session.");
    counter(
        "engine.restarts",
        "engine_restarts",
        "Times that the engine has begun anew because its turns failed; its sessions have ended.");
    gauge("engine.stalled", "engine_stalled", "Whether the engine has made no turn for a second.");
    counter("engine.stalls", "engine_stalls", "Times that the engine made no turn for a second.");
    gauge("stags", "stags", "STags in use.");
    counter("ddp.segments.sent", "ddp_sent_segments", "DDP Segments sent.");
    counter("ddp.octets.sent", "ddp_sent_bytes", "Octets of payload in DDP Segments sent.");
    counter("ddp.segments.placed", "ddp_placed_segments", "DDP Segments placed.");
    counter(
        "ddp.octets.placed", "ddp_placed_bytes", "Octets of payload placed into programs' memory.");
    counter("ddp.messages.tagged", "ddp_tagged_messages", "Tagged Messages delivered.");
    counter("ddp.messages.untagged", "ddp_untagged_messages", "Untagged Messages delivered.");
    counter(
        "ddp.segments.placed.early",
        "ddp_placed_early_segments",
        "DDP Segments placed behind a gap in the stream of TCP.");
    counter(
        "ddp.segments.held",
        "ddp_held_segments",
        "DDP Segments held because no receive was posted for them.");
    counter(
        "ddp.segments.refused",
        "ddp_refused_segments",
        "DDP Segments refused because of an error.");
    gauge("tcp.connections", "tcp_connections", "TCP connections in any state.");
    gauge(
        "tcp.packets.held",
        "tcp_held_packets",
        "Packet buffers that TCP keeps: sent and not acknowledged, or received out of order.");
    counter(
        "tcp.segments.in",
        "tcp_received_segments",
        "TCP segments received; those of one frame count as one.");
    counter(
        "tcp.segments.out",
        "tcp_sent_segments",
        "TCP segments sent; those of one frame count as one.");
    counter(
        "tcp.trains.in", "tcp_received_trains", "Frames received that held several TCP segments.");
    counter("tcp.trains.out", "tcp_sent_trains", "Frames sent that held several TCP segments.");
    counter(
        "tcp.trains.segments.in",
        "tcp_received_train_segments",
        "TCP segments received in frames of several, by their octets and our MSS.");
    counter(
        "tcp.trains.segments.out",
        "tcp_sent_train_segments",
        "TCP segments sent in frames of several; each holds one FPDU.");
    counter("tcp.octets.in", "tcp_received_bytes", "Octets of payload that TCP handed to MPA.");
    counter(
        "tcp.octets.out", "tcp_sent_bytes", "Octets of payload that TCP sent for the first time.");
    counter("tcp.retransmitted", "tcp_retransmitted_segments", "TCP segments sent again.");
    counter(
        "tcp.timeouts",
        "tcp_retransmission_timeouts",
        "Expirations of TCP's retransmission timer.");
    counter("tcp.retransmits.fast", "tcp_fast_retransmits", "Fast retransmissions begun.");
    counter(
        "tcp.out.of.order",
        "tcp_out_of_order_segments",
        "TCP segments received out of order and kept.");
    counter("tcp.octets.kept", "tcp_kept_bytes", "Octets received out of order that MPA kept.");
    counter(
        "tcp.duplicates",
        "tcp_duplicate_segments",
        "TCP segments, or parts of them, received again.");
    counter("tcp.path.mtu.lowered", "tcp_path_mtu_lowered", "Reductions of a path's MTU.");
    counter("tcp.checksum.errors", "tcp_checksum_errors", "TCP segments with a wrong checksum.");
    counter(
        "tcp.malformed",
        "tcp_malformed_segments",
        "TCP segments with invalid lengths in the header or its options.");
    counter(
        "tcp.refused", "tcp_refused_segments", "TCP segments dropped because MPA refused them.");
    counter("tcp.resets.in", "tcp_received_resets", "Resets received and obeyed.");
    counter("tcp.resets.out", "tcp_sent_resets", "Resets sent.");
    counter(
        "tcp.syns.dropped",
        "tcp_dropped_syns",
        "SYNs dropped because a backlog or a table was full.");
    counter(
        "tcp.established", "tcp_established_connections", "TCP connections that were established.");
    counter(
        "tcp.packets.exhausted",
        "tcp_packets_exhausted",
        "Times that no packet buffer was free; the operation is tried again.");
    counter(
        "tcp.device.busy",
        "tcp_device_busy",
        "Times that the device took no further frame; it is tried again.");
    counter(
        "ip.frames.ignored",
        "ip_ignored_frames",
        "Frames for another station or VLAN, or of an unknown type.");
    counter(
        "ip.malformed",
        "ip_malformed_packets",
        "IP packets with invalid lengths or a wrong version.");
    counter("ip.checksum.errors", "ip_checksum_errors", "IP packets with a wrong header checksum.");
    counter(
        "ip.address.errors",
        "ip_address_errors",
        "IP packets for another address, or with an invalid source.");
    counter(
        "ip.address.conflicts",
        "ip_address_conflicts",
        "ARP and Neighbour Discovery messages of other stations that claimed an address of this interface.");
    gauge(
        "ip.address.duplicates",
        "ip_duplicate_addresses",
        "IPv6 addresses of the interface that are not used, as another station has or claims them.");
    counter(
        "ip.router.advertisements",
        "ip_router_advertisements",
        "Advertisements of the link's IPv6 routers.");
    counter(
        "ip.router.redirects",
        "ip_router_redirects",
        "Redirects of the IPv6 router in use that were followed.");
    counter(
        "ip.neighbour.conflicts",
        "ip_neighbour_conflicts",
        "ARP messages that claimed a known neighbour's IP address for another MAC address.");
    counter(
        "ip.unresolved",
        "ip_unresolved_packets",
        "IP packets dropped because their next hop did not answer ARP.");
    counter("ip.fragments", "ip_fragments", "IP fragments received.");
    counter("ip.fragments.dropped", "ip_dropped_fragments", "IP fragments dropped.");
    counter(
        "ip.reassembled", "ip_reassembled_datagrams", "IP datagrams put together from fragments.");
    counter("ip.icmp.errors.in", "ip_received_icmp_errors", "ICMP errors received.");
    counter("ip.icmp.errors.out", "ip_sent_icmp_errors", "ICMP errors sent.");
    counter("ip.link.downs", "ip_link_downs", "Times that the link went down.");
    counter(
        "ip.looped",
        "ip_looped_frames",
        "Frames from the interface to its own address, which do not reach the port.");
    counter(
        "ip.loop.dropped",
        "ip_dropped_loop_frames",
        "Frames from the interface to its own address dropped because too many waited.");
    counter(
        "ip.handed.over.in",
        "ip_received_hand_overs",
        "Packets got from other engines of the interface, which received them.");
    counter(
        "ip.handed.over.out",
        "ip_sent_hand_overs",
        "Packets received for a port of another engine of the interface, and handed over to it.");
    counter(
        "ip.handed.over.dropped",
        "ip_dropped_hand_overs",
        "Packets for another engine of the interface dropped because it had too many to take.");
    gauge("esp.associations", "esp_associations", "Security associations of ESP.");
    gauge(
        "esp.associations.ending",
        "esp_associations_ending",
        "Security associations after their soft lifetime; others should take their places.");
    gauge(
        "esp.associations.over",
        "esp_associations_over",
        "Security associations after their hard lifetime, which carry nothing more.");
    counter("esp.sealed", "esp_sent_packets", "Packets sealed and sent.");
    counter("esp.opened", "esp_received_packets", "Packets opened and passed on.");
    counter(
        "esp.clear",
        "esp_dropped_clear",
        "Packets received in clear where the policy requires ESP; dropped.");
    counter("esp.discarded", "esp_discarded", "Packets that the policy discards.");
    counter(
        "esp.unknown.spi",
        "esp_dropped_unknown_spi",
        "Packets received with an SPI that no association has; dropped.");
    counter(
        "esp.replayed",
        "esp_dropped_replayed",
        "Packets received again, or too late to tell; dropped.");
    counter("esp.forged", "esp_dropped_forged", "Packets that are not authentic; dropped.");
    counter(
        "esp.malformed",
        "esp_dropped_malformed",
        "Packets in ESP whose length, padding or inner packet is not valid; dropped.");
    counter(
        "esp.mismatched",
        "esp_dropped_mismatched",
        "Packets in an association that is not for their addresses, protocol or ports; dropped.");
    counter(
        "esp.no.association",
        "esp_unsent_without_association",
        "Packets not sent because no association is for them, or its lifetime is over.");
    counter(
        "esp.expired",
        "esp_dropped_expired",
        "Packets received on an association whose lifetime is over; dropped.");
    counter(
        "esp.too.long",
        "esp_unsent_too_long",
        "Packets not sent because they would have been too long when sealed.");
    counter(
        "esp.exhausted",
        "esp_dropped_exhausted",
        "Packets dropped because there was no packet to seal or open them in.");
    gauge("packets", "packets", "Packet buffers of the interface.");
    gauge("packets.free", "packets_free", "Packet buffers that are free.");
    gauge("port.up", "port_up", "Whether the port has a link.");
    counter("port.frames.in", "port_received_frames", "Frames received by the port.");
    counter("port.frames.out", "port_sent_frames", "Frames sent by the port.");
    counter("port.octets.in", "port_received_bytes", "Octets of frames received by the port.");
    counter("port.octets.out", "port_sent_bytes", "Octets of frames sent by the port.");
    counter(
        "port.missed",
        "port_missed_frames",
        "Frames that the port dropped because its receive ring was full.");
    counter("port.errors.in", "port_receive_errors", "Frames that the port received damaged.");
    counter("port.errors.out", "port_send_errors", "Frames that the port could not send.");
    counter(
        "port.no.buffer",
        "port_no_buffer",
        "Receptions that failed because no packet buffer was free.");
    counter(
        "port.dropped.chains",
        "port_dropped_chains",
        "Frames in several buffers that could not be put together.");
  }

  private CounterMetrics() {}

  private static void counter(String counter, String name, String help) {
    METRICS.put(counter, new CounterMetric(PREFIX + name, Kind.COUNTER, help));
  }

  private static void gauge(String counter, String name, String help) {
    METRICS.put(counter, new CounterMetric(PREFIX + name, Kind.GAUGE, help));
  }

  /** Whether the table has the counter. */
  static boolean describes(String counter) {
    return METRICS.containsKey(counter);
  }

  /**
   * The metric for a counter. A counter that the table lacks keeps its name, as a gauge.
   *
   * @param counter its name without the interface
   */
  static CounterMetric of(String counter) {
    CounterMetric described = METRICS.get(counter);
    if (described != null) {
      return described;
    }
    String name = NOT_IN_NAMES.matcher(counter).replaceAll("_");
    return new CounterMetric(PREFIX + name, Kind.GAUGE, counter + " of rddp stat.");
  }
}
