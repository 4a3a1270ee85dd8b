package org.rddp.ip;

import java.util.List;

/** A transport that records changes of path MTUs. */
record PathListener(List<String> heard) implements TransportHandler {
  @Override
  public void onDatagram(
      int source, long sum, long senderMac, int ecn, long address, int length, long packet) {}

  @Override
  public void onUnreachable(int code, Path path, int localPort, int remotePort, int sequence) {}

  @Override
  public void onTooBig(Path path, int mtu, int localPort, int remotePort, int sequence) {}

  @Override
  public void onPathMtu(Path path) {
    heard.add(path.remote() + " " + path.mtu());
  }
}
