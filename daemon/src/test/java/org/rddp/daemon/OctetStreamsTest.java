package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamException;
import org.rddp.client.streams.StreamSession;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;

/** Octet streams of programs, from connect to close. */
@Timeout(60)
class OctetStreamsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int PORT = 7000;

  private final TestDaemon daemon = new TestDaemon();
  private final StreamSession here = open();
  private final StreamSession there = open();
  private ProgramStream client;
  private ProgramStream server;

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private StreamSession open() {
    try {
      return StreamSession.open(daemon.socket(), "test");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static InetAddress address(String text) throws IOException {
    return InetAddress.getByName(text);
  }

  private ProgramStream connect(int port) throws IOException {
    InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, port);
    return here.connect(to, address(TestDaemon.ADDRESS_ONE), 0, TIMEOUT);
  }

  private ProgramListener listen() throws IOException {
    return there.listen(new InetSocketAddress("0.0.0.0", PORT), 8, 0);
  }

  private void establish() throws IOException {
    try (ProgramListener listener = listen()) {
      client = connect(PORT);
      server = listener.accept(TIMEOUT);
      client.awaitConnected();
    }
  }

  private static byte[] read(ProgramStream stream, int octets) throws IOException {
    byte[] read = new byte[octets];
    int at = 0;
    while (at < octets) {
      int more = stream.read(read, at, octets - at);
      assertThat(more).isPositive();
      at += more;
    }
    return read;
  }

  private static byte[] octets(int count) {
    byte[] octets = new byte[count];
    new Random(count).nextBytes(octets);
    return octets;
  }

  @Test
  void shouldPassOctetsBothWaysAndClose() throws Exception {
    establish();
    client.write("hello".getBytes());
    assertThat(read(server, 5)).isEqualTo("hello".getBytes());
    server.write("world!".getBytes());
    assertThat(read(client, 6)).isEqualTo("world!".getBytes());
    client.close();
    assertThat(server.read(new byte[1], 0, 1)).isEqualTo(-1);
    server.close();
  }

  @Test
  void shouldPassMoreThanTheRingsHold() throws Exception {
    establish();
    byte[] sent = octets(3_000_000);
    CompletableFuture<byte[]> back =
        CompletableFuture.supplyAsync(() -> {
          try {
            return read(server, sent.length);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    client.write(sent);
    assertThat(back.get()).isEqualTo(sent);
    client.close();
    assertThat(server.read(new byte[1], 0, 1)).isEqualTo(-1);
    server.close();
  }

  @Test
  void shouldRefuseWhereNobodyListens() throws Exception {
    client = connect(PORT);
    assertThatThrownBy(client::awaitConnected)
        .isInstanceOfSatisfying(
            StreamException.class, e -> assertThat(e.errno()).isEqualTo(111));
    client.close();
  }

  private static byte[] receive(PairedSocket socket, int octets) throws IOException {
    byte[] read = new byte[octets];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(octets);
      int at = 0;
      PollSet poll = new PollSet();
      while (at < octets) {
        poll.clear();
        poll.add(socket.descriptor());
        poll.await(TIMEOUT.toNanos());
        long more = socket.receive(memory.address(), octets - at);
        assertThat(more).isPositive();
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, read, at, (int) more);
        at += (int) more;
      }
    }
    return read;
  }

  private static void send(PairedSocket socket, byte[] octets) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, octets);
      PollSet poll = new PollSet();
      for (int at = 0; at < octets.length; ) {
        poll.clear();
        poll.addForSending(socket.descriptor());
        poll.await(TIMEOUT.toNanos());
        long more = socket.send(memory.address() + at, octets.length - at);
        at += (int) Math.max(0, more);
      }
    }
  }

  @Test
  void shouldPassOctetsThroughASocketOfWhoHasNoMemory() throws Exception {
    establish();
    byte[] before = octets(30_000);
    client.write(before);
    server.write(before);
    PairedSocket bridged = server.bridge();
    assertThat(PairedSocket.peerName(bridged.descriptor()))
        .startsWith("rddp-stream/")
        .endsWith("/2/10.0.0.2/7000/10.0.0.1/" + server.ends().remotePort());
    server.close();
    byte[] after = octets(500_000);
    CompletableFuture<byte[]> there =
        CompletableFuture.supplyAsync(() -> {
          try {
            return receive(bridged, before.length + after.length);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    client.write(after);
    assertThat(there.get()).startsWith(before).endsWith(after);
    CompletableFuture<byte[]> back =
        CompletableFuture.supplyAsync(() -> {
          try {
            return read(client, before.length + after.length);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    send(bridged, after);
    assertThat(back.get()).startsWith(before).endsWith(after);
    bridged.close();
    assertThat(client.read(new byte[1], 0, 1)).isEqualTo(-1);
    client.close();
  }
}
