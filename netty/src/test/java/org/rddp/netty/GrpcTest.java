package org.rddp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.daemon.TestDaemon;
import org.rddp.nio.RddpSelectorProvider;

/** A server and a client of gRPC, whose event loops and channels are rddp's. */
@Timeout(60)
class GrpcTest {
  private static final Marshaller<byte[]> OCTETS =
      new Marshaller<>() {
        @Override
        public InputStream stream(byte[] octets) {
          return new ByteArrayInputStream(octets);
        }

        @Override
        public byte[] parse(InputStream from) {
          try {
            return from.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private static final MethodDescriptor<byte[], byte[]> ASK = method(MethodType.UNARY, "Ask");
  private static final MethodDescriptor<byte[], byte[]> ECHO =
      method(MethodType.BIDI_STREAMING, "Echo");

  private static MethodDescriptor<byte[], byte[]> method(MethodType type, String name) {
    return MethodDescriptor.newBuilder(OCTETS, OCTETS)
        .setType(type)
        .setFullMethodName("rddp.Test/" + name)
        .build();
  }

  /** Sends back what it gets; refuses a message without octets. */
  private static ServerServiceDefinition service() {
    return ServerServiceDefinition.builder("rddp.Test")
        .addMethod(
            ASK,
            ServerCalls.asyncUnaryCall((request, answers) -> {
              if (request.length == 0) {
                answers.onError(Status.INVALID_ARGUMENT.asException());
                return;
              }
              answers.onNext(request);
              answers.onCompleted();
            }))
        .addMethod(ECHO, ServerCalls.asyncBidiStreamingCall(Echo::new))
        .build();
  }

  /** Passes on what comes. */
  private static final class Echo implements StreamObserver<byte[]> {
    private final StreamObserver<byte[]> to;

    Echo(StreamObserver<byte[]> to) {
      this.to = to;
    }

    @Override
    public void onNext(byte[] octets) {
      to.onNext(octets);
    }

    @Override
    public void onError(Throwable e) {
      to.onError(e);
    }

    @Override
    public void onCompleted() {
      to.onCompleted();
    }
  }

  /** Collects what comes. */
  private static final class Collected implements StreamObserver<byte[]> {
    final CompletableFuture<List<byte[]>> all = new CompletableFuture<>();
    private final List<byte[]> some = new ArrayList<>();

    @Override
    public void onNext(byte[] octets) {
      some.add(octets);
    }

    @Override
    public void onError(Throwable e) {
      all.completeExceptionally(e);
    }

    @Override
    public void onCompleted() {
      all.complete(some);
    }
  }

  @Test
  void shouldCallAndStream() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      RddpSelectorProvider provider = new RddpSelectorProvider(daemon.socket());
      try (EventLoopGroup loops =
          new MultiThreadIoEventLoopGroup(2, RddpIoHandler.newFactory(provider))) {
        Server server =
            NettyServerBuilder.forAddress(new InetSocketAddress(TestDaemon.ADDRESS_TWO, 0))
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .channelFactory(() -> new RddpServerSocketChannel(provider))
                .addService(service())
                .build()
                .start();
        ManagedChannel channel =
            NettyChannelBuilder.forAddress(TestDaemon.ADDRESS_TWO, server.getPort())
                .eventLoopGroup(loops)
                .channelFactory(() -> new RddpSocketChannel(provider))
                .usePlaintext()
                .build();
        call(channel);
        stream(channel);
        channel.shutdown();
        server.shutdown();
        assertThat(channel.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(server.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private static void call(ManagedChannel channel) {
    for (int i = 1; i <= 200; i++) {
      byte[] asked = new byte[i * 100];
      new Random(i).nextBytes(asked);
      assertThat(ClientCalls.blockingUnaryCall(channel, ASK, CallOptions.DEFAULT, asked))
          .isEqualTo(asked);
    }
    assertThatThrownBy(
            () -> ClientCalls.blockingUnaryCall(channel, ASK, CallOptions.DEFAULT, new byte[0]))
        .hasMessageContaining("INVALID_ARGUMENT");
  }

  private static void stream(ManagedChannel channel) throws Exception {
    List<byte[]> sent = new ArrayList<>();
    List<Collected> got = new ArrayList<>();
    List<StreamObserver<byte[]>> streams = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Collected collected = new Collected();
      got.add(collected);
      streams.add(
          ClientCalls.asyncBidiStreamingCall(
              channel.newCall(ECHO, CallOptions.DEFAULT), collected));
    }
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      byte[] octets = new byte[random.nextInt(100_000)];
      random.nextBytes(octets);
      sent.add(octets);
      streams.forEach(each -> each.onNext(octets));
    }
    streams.forEach(StreamObserver::onCompleted);
    for (Collected each : got) {
      assertThat(each.all.get()).containsExactlyElementsOf(sent);
    }
  }
}
