package org.rddp.ip;

import org.rddp.counters.Published;

/**
 * What ESP and its policy have done on an interface. Written by the engine's thread; other threads
 * may read old values.
 */
public final class EspCounters {
  @Published(name = "esp_sent_packets", help = "Packets sealed and sent.")
  public long sealed;

  @Published(name = "esp_received_packets", help = "Packets opened and passed on.")
  public long opened;

  @Published(
      name = "esp_dropped_clear",
      help = "Packets received in clear where the policy requires ESP; dropped.")
  public long clear;

  @Published(name = "esp_discarded", help = "Packets that the policy discards.")
  public long discarded;

  @Published(
      name = "esp_dropped_unknown_spi",
      help = "Packets received with an SPI that no association has; dropped.")
  public long unknownSpi;

  @Published(
      name = "esp_dropped_replayed",
      help = "Packets received again, or too late to tell; dropped.")
  public long replayed;

  @Published(name = "esp_dropped_forged", help = "Packets that are not authentic; dropped.")
  public long forged;

  @Published(
      name = "esp_dropped_malformed",
      help = "Packets in ESP whose length, padding or inner packet is not valid; dropped.")
  public long malformed;

  @Published(
      name = "esp_dropped_mismatched",
      help =
          "Packets in an association that is not for their addresses, protocol or ports; dropped.")
  public long mismatched;

  @Published(
      name = "esp_unsent_without_association",
      help = "Packets not sent because no association is for them, or its lifetime is over.")
  public long noAssociation;

  @Published(
      name = "esp_dropped_expired",
      help = "Packets received on an association whose lifetime is over; dropped.")
  public long expired;

  @Published(
      name = "esp_unsent_too_long",
      help = "Packets not sent because they would have been too long when sealed.")
  public long tooLong;

  @Published(
      name = "esp_dropped_exhausted",
      help = "Packets dropped because there was no packet to seal or open them in.")
  public long exhausted;

  @Published(name = "esp_associations", help = "Security associations of ESP.", gauge = true)
  public long associations;

  /** Creates counters that are all zero. */
  public EspCounters() {}
}
