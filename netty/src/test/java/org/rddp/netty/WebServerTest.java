package org.rddp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.daemon.TestDaemon;

/** Netty's web server and client in a JVM of their own, which finds the daemon by itself. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // Failures show as missing answers.
class WebServerTest {
  /** Listens at the wildcard address, and asks itself at each address; prints the answers. */
  static final class Program {
    public static void main(String... addresses) throws Exception {
      try (EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, RddpIoHandler.newFactory())) {
        Channel listener =
            new ServerBootstrap()
                .group(loops)
                .channel(RddpServerSocketChannel.class)
                .childHandler(initializer(new Server()))
                .bind(0)
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        for (String address : addresses) {
          System.out.println(ask(loops, RddpSocketChannel.class, address, port));
        }
        // Such loops run channels of the JDK's, too.
        System.out.println(ask(loops, NioSocketChannel.class, addresses[0], port));
      }
    }

    private static String ask(
        EventLoopGroup loops, Class<? extends Channel> channel, String address, int port)
        throws Exception {
      Client client = new Client();
      new Bootstrap()
          .group(loops)
          .channel(channel)
          .handler(initializer(client))
          .connect(address, port)
          .sync();
      return client.answer.get();
    }

    private static ChannelHandler initializer(ChannelHandler last) {
      return new ChannelInitializer<SocketChannel>() {
        @Override
        protected void initChannel(SocketChannel channel) {
          channel
              .pipeline()
              .addLast(last instanceof Server ? new HttpServerCodec() : new HttpClientCodec())
              .addLast(new HttpObjectAggregator(8192), last);
        }
      };
    }
  }

  /** Answers with the address at which it was asked. */
  @ChannelHandler.Sharable
  private static final class Server extends SimpleChannelInboundHandler<HttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpRequest request) {
      InetSocketAddress at = (InetSocketAddress) context.channel().localAddress();
      byte[] text = at.getAddress().getHostAddress().getBytes(StandardCharsets.US_ASCII);
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(text));
      response.headers().set("Content-Length", text.length);
      context.writeAndFlush(response);
    }
  }

  private static final class Client extends SimpleChannelInboundHandler<FullHttpResponse> {
    final CompletableFuture<String> answer = new CompletableFuture<>();

    @Override
    public void channelActive(ChannelHandlerContext context) {
      context.writeAndFlush(new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
      answer.complete(
          response.status() + " " + response.content().toString(StandardCharsets.US_ASCII));
      context.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      answer.completeExceptionally(cause);
    }
  }

  @Test
  void shouldServeRddpAndTheKernel() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      ProcessBuilder builder =
          new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "--enable-native-access=ALL-UNNAMED",
              "--sun-misc-unsafe-memory-access=allow",
              "-cp",
              System.getProperty("java.class.path"),
              Program.class.getName(),
              "127.0.0.1",
              TestDaemon.ADDRESS_TWO);
      builder.environment().put("RDDP_SOCKET", daemon.socket().toString());
      Process process = builder.start();
      try (InputStream out = process.getInputStream()) {
        assertThat(new String(out.readAllBytes(), StandardCharsets.UTF_8).lines())
            .containsExactly(
                "200 OK 127.0.0.1", "200 OK " + TestDaemon.ADDRESS_TWO, "200 OK 127.0.0.1");
      }
      assertThat(process.waitFor()).isZero();
    }
  }
}
