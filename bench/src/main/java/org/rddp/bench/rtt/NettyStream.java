package org.rddp.bench.rtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A connection that sends messages for some time, as long as Netty says that it is writable. For
 * the event loop's thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Failures show as missing octets.
final class NettyStream extends ChannelInboundHandlerAdapter {
  private ChannelHandlerContext context;
  private CompletableFuture<Long> result;
  private ByteBuf message;
  private long end;
  private long sent;
  private boolean writes;

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  /**
   * Begins.
   *
   * @param octets of a message
   * @param nanos how long it sends
   * @param wanted gets how many octets it has sent
   */
  void begin(int octets, long nanos, CompletableFuture<Long> wanted) {
    result = wanted;
    message = Unpooled.directBuffer(octets).writerIndex(octets);
    sent = 0;
    end = System.nanoTime() + nanos;
    write();
  }

  /** A flush may say within a write that there is room. */
  private void write() {
    if (writes || message == null) {
      return;
    }
    writes = true;
    while (context.channel().isWritable() && System.nanoTime() < end) {
      sent += message.readableBytes();
      context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
    }
    writes = false;
    if (System.nanoTime() >= end) {
      message.release();
      message = null;
      result.complete(sent);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext at) {
    write();
  }

  @Override
  public void channelInactive(ChannelHandlerContext at) {
    if (result != null) {
      result.completeExceptionally(new IOException("the other end has closed"));
    }
  }
}
