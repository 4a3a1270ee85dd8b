package org.rddp.ip;

import org.rddp.counters.Published;

/**
 * The counters of one interface. Written by the engine's thread; other threads may read old values.
 */
public final class IpCounters {
  /** Frames received. */
  public long framesIn;

  @Published(
      name = "ip_ignored_frames",
      help = "Frames for another station or VLAN, or of an unknown type.")
  public long framesIgnored;

  @Published(
      name = "ip_malformed_packets",
      help = "IP packets with invalid lengths or a wrong version.")
  public long malformed;

  @Published(name = "ip_checksum_errors", help = "IP packets with a wrong header checksum.")
  public long checksumErrors;

  @Published(
      name = "ip_address_errors",
      help = "IP packets for another address, or with an invalid source.")
  public long addressErrors;

  @Published(name = "ip_fragments", help = "IP fragments received.")
  public long fragments;

  @Published(name = "ip_dropped_fragments", help = "IP fragments dropped.")
  public long fragmentsDropped;

  @Published(name = "ip_reassembled_datagrams", help = "IP datagrams put together from fragments.")
  public long reassembled;

  /** Datagrams discarded because fragments were missing for too long. */
  public long reassemblyTimeouts;

  /** Packets of a protocol other than TCP and ICMP. */
  public long unknownProtocols;

  /** Echo requests answered. */
  public long echoes;

  @Published(name = "ip_received_icmp_errors", help = "ICMP errors received.")
  public long icmpErrors;

  /** ICMP messages of other types, which are ignored. */
  public long icmpIgnored;

  @Published(name = "ip_sent_icmp_errors", help = "ICMP errors sent.")
  public long icmpErrorsOut;

  /** ICMP errors not sent because of the limit. */
  public long icmpErrorsLimited;

  /** ARP requests sent. */
  public long arpRequests;

  /** ARP requests for our address answered. */
  public long arpReplies;

  /** Neighbour solicitations sent. */
  public long solicitations;

  /** Neighbour solicitations for our addresses answered. */
  public long advertisements;

  /** Router solicitations sent. */
  public long routerSolicitations;

  @Published(name = "ip_router_advertisements", help = "Advertisements of the link's IPv6 routers.")
  public long routerAdvertisements;

  @Published(
      name = "ip_router_redirects",
      help = "Redirects of the IPv6 router in use that were followed.")
  public long redirects;

  /** Reports of multicast groups sent. */
  public long listenerReports;

  /** Announcements of our address. */
  public long announcements;

  @Published(
      name = "ip_address_conflicts",
      help =
          "ARP and Neighbour Discovery messages of other stations that claimed an address of this interface.")
  public long addressConflicts;

  @Published(
      name = "ip_duplicate_addresses",
      help =
          "IPv6 addresses of the interface that are not used, as another station has or claims them.",
      gauge = true)
  public long addressDuplicates;

  @Published(
      name = "ip_neighbour_conflicts",
      help = "ARP messages that claimed a known neighbour's IP address for another MAC address.")
  public long neighbourConflicts;

  @Published(name = "ip_link_downs", help = "Times that the link went down.")
  public long linkDowns;

  @Published(
      name = "ip_looped_frames",
      help = "Frames from the interface to its own address, which do not reach the port.")
  public long looped;

  @Published(
      name = "ip_dropped_loop_frames",
      help = "Frames from the interface to its own address dropped because too many waited.")
  public long loopDropped;

  @Published(
      name = "ip_sent_hand_overs",
      help =
          "Packets received for a port of another engine of the interface, and handed over to it.")
  public long handedOver;

  @Published(
      name = "ip_received_hand_overs",
      help = "Packets got from other engines of the interface, which received them.")
  public long handedOverIn;

  @Published(
      name = "ip_dropped_hand_overs",
      help = "Packets for another engine of the interface dropped because it had too many to take.")
  public long handOversDropped;

  @Published(
      name = "ip_unresolved_packets",
      help = "IP packets dropped because their next hop did not answer ARP.")
  public long unresolved;

  /** Times that the pool had no packet for an ARP or ICMP message or a reassembled datagram. */
  public long exhausted;

  /** Creates counters that are all zero. */
  public IpCounters() {}
}
