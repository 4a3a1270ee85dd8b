package org.rddp.ip;

import java.util.List;

/** A transport that records changes of path MTUs. */
record PathListener(List<String> heard) implements TransportHandler {
  @Override
  public void onDatagram(
      int source, long senderMac, int ecn, long address, int length, long packet) {}

  @Override
  public void onUnreachable(int code, int remote, int localPort, int remotePort, int sequence) {}

  @Override
  public void onTooBig(int remote, int mtu, int localPort, int remotePort, int sequence) {}

  @Override
  public void onPathMtu(int remote, int mtu) {
    heard.add(new Ipv4Address(remote) + " " + mtu);
  }
}
