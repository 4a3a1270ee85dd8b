package org.rddp.bench.rtt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Puts the messages of a connection of Netty together, all of one length. */
abstract class WholeMessages extends ChannelInboundHandlerAdapter {
  /** What has come of a message; null: nothing. */
  private ByteBuf message;

  @Override
  public void channelRead(ChannelHandlerContext context, Object read) {
    ByteBuf octetsRead = (ByteBuf) read;
    int octets = octets();
    if (message == null && octetsRead.readableBytes() == octets) {
      onWhole(context, octetsRead);
      return;
    }
    if (message == null) {
      message = context.alloc().directBuffer(octets);
    }
    message.writeBytes(octetsRead);
    octetsRead.release();
    if (message.readableBytes() == octets) {
      ByteBuf whole = message;
      message = null;
      onWhole(context, whole);
    }
  }

  /** Octets of a message. */
  abstract int octets();

  /** Takes over a whole message. */
  abstract void onWhole(ChannelHandlerContext context, ByteBuf whole);
}
