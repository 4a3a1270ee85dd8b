package org.rddp.ip;

/**
 * What ESP and its policy have done on an interface. Written by the engine's thread; other threads
 * may read old values.
 */
public final class EspCounters {
  /** Packets sealed and sent. */
  public long sealed;

  /** Packets opened and passed on. */
  public long opened;

  /** Packets received in clear where the policy requires ESP, and UDP without IKE; dropped. */
  public long clear;

  /** Packets sent or received that the policy discards. */
  public long discarded;

  /** Packets received with an SPI that no association has, or for another address; dropped. */
  public long unknownSpi;

  /** Packets received again, or too late to tell; dropped. */
  public long replayed;

  /** Packets received that are not authentic; dropped. */
  public long forged;

  /** Packets received whose length, padding or inner packet is not valid; dropped. */
  public long malformed;

  /** Packets received in an association that is not for their addresses, protocol or ports. */
  public long mismatched;

  /** Packets not sent because no association is for them, or its lifetime is over. */
  public long noAssociation;

  /** Packets received on an association whose lifetime is over; dropped. */
  public long expired;

  /** Packets not sent because they would have been too long when sealed. */
  public long tooLong;

  /** Packets dropped because there was no packet to seal or open them in. */
  public long exhausted;

  /** Associations that can be used now or until they are deleted. */
  public long associations;

  /** Creates counters that are all zero. */
  public EspCounters() {}
}
