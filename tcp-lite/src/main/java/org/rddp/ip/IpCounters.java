package org.rddp.ip;

/** What one interface has seen. Written by the engine's thread; elsewhere a value may be old. */
public final class IpCounters {
  /** Frames received. */
  public long framesIn;

  /** Frames for another station or of an unknown type. */
  public long framesIgnored;

  /** Packets with impossible lengths or a wrong version. */
  public long malformed;

  /** Packets or ICMP messages with a wrong checksum. */
  public long checksumErrors;

  /** Packets for another address, or from an impossible one. */
  public long addressErrors;

  /** Fragments, which are dropped. */
  public long fragments;

  /** Packets of a protocol that nobody here speaks. */
  public long unknownProtocols;

  /** Echo requests answered. */
  public long echoes;

  /** ICMP errors received. */
  public long icmpErrors;

  /** ARP requests sent. */
  public long arpRequests;

  /** ARP requests for our address answered. */
  public long arpReplies;

  /** ARP messages that claimed our own address. */
  public long addressConflicts;

  /** Packets given up because their neighbour did not answer, or too many waited for it. */
  public long unresolved;

  /** Times that no packet was to be had for an ARP message. */
  public long exhausted;

  /** All zero. */
  public IpCounters() {}
}
