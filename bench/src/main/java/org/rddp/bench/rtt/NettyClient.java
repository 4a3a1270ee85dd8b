package org.rddp.bench.rtt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;

/** A connection that sends messages which come back, one at a time. For the event loop's thread. */
@SuppressWarnings("FutureReturnValueIgnored") // Failures show as missing answers.
final class NettyClient extends WholeMessages {
  private ChannelHandlerContext context;

  /** The round of the message under way; null before the first. */
  private NettyRoundTrips round;

  private int octets;
  private long number;
  private long sent;

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  void send(NettyRoundTrips of, int length) {
    round = of;
    octets = length;
    ByteBuf message = context.alloc().directBuffer(length);
    message.writerIndex(length);
    sent = System.nanoTime();
    number++;
    message.setLong(0, number);
    message.setLong(length - Long.BYTES, number);
    context.writeAndFlush(message, context.voidPromise());
  }

  @Override
  int octets() {
    return octets;
  }

  @Override
  void onWhole(ChannelHandlerContext at, ByteBuf whole) {
    long now = System.nanoTime();
    boolean same = whole.getLong(0) == number && whole.getLong(octets - Long.BYTES) == number;
    whole.release();
    if (same) {
      round.onAnswer(this, sent, now);
    } else {
      round.fail("another message came back");
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext at) {
    if (round != null) {
      round.fail("the other end has closed");
    }
  }
}
