package org.rddp.tcp.testing;

import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** A handler that ignores everything, for those that care about some of it only. */
public abstract class StreamHandlerAdapter implements StreamHandler {
  /** A handler. */
  protected StreamHandlerAdapter() {}

  @Override
  public void onOpen(TcpStream stream) {}

  @Override
  public void onSegment(long position, long address, int length, long packet) {}

  @Override
  public void onLeftEdge(long position) {}

  @Override
  public void onSendable() {}

  @Override
  public void onEmss(int emss) {}

  @Override
  public void onAlarm(long now) {}

  @Override
  public void onPeerClosed() {}

  @Override
  public void onClosed(CloseReason reason) {}
}
