package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;

/**
 * Writes IPv4 headers in front of payloads and passes the packets to the link, to ARP to wait, or
 * to ourselves.
 */
final class Ipv4Output {
  private final EthernetLink link;
  private final Neighbours neighbours;
  private final Loop loop;
  private final PacketPool pool;
  private final int address;

  Ipv4Output(EthernetLink link, Neighbours neighbours, Loop loop, int address) {
    this.link = link;
    this.neighbours = neighbours;
    this.loop = loop;
    this.address = address;
    pool = link.pool();
  }

  boolean room() {
    return link.room();
  }

  /** Writes a header in front of a payload. */
  void writeHeader(Ipv4Path path, int protocol, long payload, int length, int trafficClass) {
    long header = payload - Ipv4.HEADER;
    Ipv4.write(header, length + Ipv4.HEADER, protocol, address, path.number(), trafficClass);
  }

  /** See {@link Path#send}. */
  void send(
      Ipv4Path path,
      int protocol,
      long packet,
      long payload,
      int length,
      int trafficClass,
      long now) {
    long header = payload - Ipv4.HEADER;
    int total = length + Ipv4.HEADER;
    writeHeader(path, protocol, payload, length, trafficClass);
    Neighbour neighbour = path.hop;
    if (now >= neighbour.confirmAt) {
      neighbours.refresh(neighbour, now);
    }
    if (neighbour.resolved()) {
      link.send(packet, header, total, neighbour.macAddress, Ethernet.TYPE_IPV4);
    } else if (path.toUs()) {
      loop.send(packet, header, total, Ethernet.TYPE_IPV4);
    } else {
      pool.window(packet, header, total);
      neighbours.hold(neighbour, packet, now);
    }
  }

  /** See {@link Path#reply}. */
  void reply(
      long packet,
      long payload,
      int length,
      int protocol,
      int destination,
      int trafficClass,
      long macAddress) {
    long header = payload - Ipv4.HEADER;
    Ipv4.write(header, length + Ipv4.HEADER, protocol, address, destination, trafficClass);
    pool.retain(packet);
    if (destination == address) {
      loop.send(packet, header, length + Ipv4.HEADER, Ethernet.TYPE_IPV4);
    } else {
      link.send(packet, header, length + Ipv4.HEADER, macAddress, Ethernet.TYPE_IPV4);
    }
  }
}
