package org.rddp.simulation;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.agrona.collections.LongHashSet;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;

/**
 * Ciphers of two hosts, of all engines that they have one after the other. With the same keys, no
 * number is used twice (RFC 4303 section 3.3.3), no packet is accepted twice (section 3.4.3), and
 * none that nobody has sealed; no cipher is used that was closed. What is sealed is reported as
 * {@link NetworkEvent#SEALED}.
 */
final class WatchedCiphers implements EspCipher.Factory {
  private final EspCipher.Factory ciphers = new JceCiphers();
  private final Network network;
  private final Violations violations;

  /** Memory for what is sealed, with headers in front. */
  private final long frame;

  private final Map<ByteBuffer, Uses> keys = new HashMap<>();
  private long sealed;

  /** What was done with the keys of an association. */
  private static final class Uses {
    private final AssociationSettings settings;
    private final long sender;
    private final long receiver;
    private final LongHashSet sealed = new LongHashSet();
    private final LongHashSet opened = new LongHashSet();

    Uses(AssociationSettings settings, long sender, long receiver) {
      this.settings = settings;
      this.sender = sender;
      this.receiver = receiver;
    }
  }

  /**
   * Ciphers that have done nothing.
   *
   * @param frame address of memory for the longest frame
   */
  WatchedCiphers(Network network, Violations violations, long frame) {
    this.network = network;
    this.violations = violations;
    this.frame = frame;
  }

  /**
   * Keys of an association in transport mode will be used.
   *
   * @param sender MAC address of the host that seals
   * @param receiver MAC address of the host that opens
   */
  void expect(AssociationSettings settings, byte[] octets, long sender, long receiver) {
    keys.put(ByteBuffer.wrap(octets.clone()), new Uses(settings, sender, receiver));
  }

  /** Packets that were sealed. */
  long sealed() {
    return sealed;
  }

  @Override
  public EspCipher cipher(EspSuite suite, boolean esn, byte[] octets) {
    Uses uses = keys.get(ByteBuffer.wrap(octets));
    if (uses == null) {
      throw new IllegalArgumentException("keys that no association has");
    }
    return new Watched(ciphers.cipher(suite, esn, octets), uses);
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      violations.add(what);
    }
  }

  private final class Watched implements EspCipher {
    private final EspCipher cipher;
    private final Uses uses;
    private boolean closed;

    private Watched(EspCipher cipher, Uses uses) {
      this.cipher = cipher;
      this.uses = uses;
    }

    @Override
    public void seal(long payload, int length, int next, int spi, long sequence, long to) {
      check(!closed, "a packet is sealed with keys that were given up");
      check(
          uses.sealed.add(sequence),
          "number " + Long.toUnsignedString(sequence) + " is used twice with the same keys");
      sealed++;
      if (next == Ipv4.PROTOCOL_TCP) {
        show(payload, length);
      }
      cipher.seal(payload, length, next, spi, sequence, to);
    }

    @Override
    public int open(long packet, int length, long sequence) {
      check(!closed, "a packet is opened with keys that were given up");
      int plain = cipher.open(packet, length, sequence);
      if (plain >= 0) {
        String number = "the packet with number " + Long.toUnsignedString(sequence);
        check(uses.opened.add(sequence), number + " is accepted twice");
        check(uses.sealed.contains(sequence), number + " is accepted, but was never sealed");
      }
      return plain;
    }

    @Override
    public void close() {
      closed = true;
      cipher.close();
    }

    private void show(long payload, int length) {
      long packet = SegmentView.packet(frame);
      int header;
      if (uses.settings.source() instanceof Ipv6Address from
          && uses.settings.destination() instanceof Ipv6Address to) {
        header = Ipv6.HEADER;
        Ethernet.write(frame, uses.receiver, uses.sender, Ethernet.TYPE_IPV6);
        Ipv6.write(
            packet,
            length,
            Ipv4.PROTOCOL_TCP,
            Ipv6.HOPS,
            0,
            0,
            from.high(),
            from.low(),
            to.high(),
            to.low());
      } else {
        header = Ipv4.HEADER;
        int from = ((Ipv4Address) uses.settings.source()).bits();
        int to = ((Ipv4Address) uses.settings.destination()).bits();
        Ethernet.write(frame, uses.receiver, uses.sender, Ethernet.TYPE_IPV4);
        Ipv4.write(packet, header + length, Ipv4.PROTOCOL_TCP, from, to);
      }
      Memory.copy(payload, packet + header, length);
      network.report(NetworkEvent.SEALED, frame, Ethernet.HEADER + header + length, 0);
    }
  }
}
