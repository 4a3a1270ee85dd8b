package org.rddp.ip;

/** What one interface has seen. Written by the engine's thread; elsewhere a value may be old. */
public final class IpCounters {
  /** Frames received. */
  public long framesIn;

  /** Frames for another station or VLAN, of an unknown type, or from an impossible station. */
  public long framesIgnored;

  /** Packets with impossible lengths or a wrong version. */
  public long malformed;

  /** Packets or ICMP messages with a wrong checksum. */
  public long checksumErrors;

  /** Packets for another address, or from an impossible one. */
  public long addressErrors;

  /** Fragments received. */
  public long fragments;

  /** Fragments dropped: impossible, too many, too late, or overlapping. */
  public long fragmentsDropped;

  /** Datagrams put together from fragments. */
  public long reassembled;

  /** Datagrams given up because fragments were missing for too long. */
  public long reassemblyTimeouts;

  /** Packets of a protocol that nobody here speaks. */
  public long unknownProtocols;

  /** Echo requests answered. */
  public long echoes;

  /** ICMP errors received. */
  public long icmpErrors;

  /** ICMP messages of types that nothing is done about. */
  public long icmpIgnored;

  /** ICMP errors sent. */
  public long icmpErrorsOut;

  /** ICMP errors not sent because there were too many. */
  public long icmpErrorsLimited;

  /** ARP requests sent. */
  public long arpRequests;

  /** ARP requests for our address answered. */
  public long arpReplies;

  /** Times that our address was announced. */
  public long announcements;

  /** ARP messages that claimed our own address. */
  public long addressConflicts;

  /** Times that the link has gone down. */
  public long linkDowns;

  /** Packets given up because their neighbour did not answer, or too many waited for it. */
  public long unresolved;

  /** Times that no packet was to be had for a message of ARP or ICMP, or for a whole datagram. */
  public long exhausted;

  /** All zero. */
  public IpCounters() {}
}
