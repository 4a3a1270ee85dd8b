package org.rddp.ip;

/**
 * The counters of one interface. Written by the engine's thread; other threads may read old values.
 */
public final class IpCounters {
  /** Frames received. */
  public long framesIn;

  /** Frames for another station or VLAN, of an unknown type, or with an invalid source. */
  public long framesIgnored;

  /** Packets with invalid lengths or a wrong version. */
  public long malformed;

  /** Packets or ICMP messages with a wrong checksum. */
  public long checksumErrors;

  /** Packets for another address, or with an invalid source. */
  public long addressErrors;

  /** Fragments received. */
  public long fragments;

  /** Fragments dropped: invalid, too many, too late, or overlapping. */
  public long fragmentsDropped;

  /** Datagrams reassembled from fragments. */
  public long reassembled;

  /** Datagrams discarded because fragments were missing for too long. */
  public long reassemblyTimeouts;

  /** Packets of a protocol other than TCP and ICMP. */
  public long unknownProtocols;

  /** Echo requests answered. */
  public long echoes;

  /** ICMP errors received. */
  public long icmpErrors;

  /** ICMP messages of other types, which are ignored. */
  public long icmpIgnored;

  /** ICMP errors sent. */
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

  /** Router advertisements received. */
  public long routerAdvertisements;

  /** Redirects followed. */
  public long redirects;

  /** Reports of multicast groups sent. */
  public long listenerReports;

  /** Announcements of our address. */
  public long announcements;

  /** ARP or ND messages that claimed our own address. */
  public long addressConflicts;

  /** IPv6 addresses not used now, because another host has them or says so. */
  public long addressDuplicates;

  /** ARP or ND messages that claimed a known neighbour's address for another MAC address. */
  public long neighbourConflicts;

  /** Times that the link has gone down. */
  public long linkDowns;

  /** Frames to our own address, received without the device. */
  public long looped;

  /** Frames to our own address dropped because too many waited. */
  public long loopDropped;

  /** Packets and errors handed over to another stack of the interface. */
  public long handedOver;

  /** Segments taken from another stack of the interface. */
  public long handedOverIn;

  /** Packets and errors dropped: hand-over queue full, or no packet for a copy. */
  public long handOversDropped;

  /** Packets dropped because their neighbour did not answer, or too many waited for it. */
  public long unresolved;

  /** Times that the pool had no packet for an ARP or ICMP message or a reassembled datagram. */
  public long exhausted;

  /** Creates counters that are all zero. */
  public IpCounters() {}
}
