package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.RefusedException;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamException;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.types.Reason;
import org.rddp.ipc.linux.SystemCall;

/** A daemon, and two programs with octet streams between its interfaces, for tests. */
@Timeout(60)
abstract class OctetStreams {
  static final int RING = 1 << 16;
  static final Duration TIMEOUT = Duration.ofSeconds(20);
  static final int PORT = 7000;

  final TestDaemon daemon = new TestDaemon();
  final StreamSession here = open();
  final StreamSession there = open();
  ProgramStream client;
  ProgramStream server;

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  StreamSession open() {
    try {
      return StreamSession.open(daemon.socket(), "test");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static InetAddress address(String text) throws IOException {
    return InetAddress.getByName(text);
  }

  ProgramStream connect(int port) throws IOException {
    InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, port);
    return here.connect(to, address(TestDaemon.ADDRESS_ONE), 0, TIMEOUT);
  }

  ProgramListener listen() throws IOException {
    return there.listen(new InetSocketAddress("0.0.0.0", PORT), 8, 0);
  }

  void establish() throws IOException {
    try (ProgramListener listener = listen()) {
      client = connect(PORT);
      server = listener.accept(TIMEOUT);
      client.awaitConnected();
    }
  }

  static byte[] read(ProgramStream stream, int octets) throws IOException {
    byte[] read = new byte[octets];
    int at = 0;
    while (at < octets) {
      int more = stream.read(read, at, octets - at);
      assertThat(more).isPositive();
      at += more;
    }
    return read;
  }

  static byte[] octets(int count) {
    byte[] octets = new byte[count];
    new Random(count).nextBytes(octets);
    return octets;
  }

  static int errno(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(StreamException.class);
    return ((StreamException) thrown).errno();
  }

  static Reason refusal(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(RefusedException.class);
    return ((RefusedException) thrown).reason();
  }

  /** An abstract name; empty without one. */
  static byte[] name(String call, int socket) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(110, 2);
      MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) address.byteSize());
      long failed =
          SystemCall.bind(call, "i:ill").attempt(socket, address.address(), length.address());
      int octets = failed < 0 ? 0 : length.get(ValueLayout.JAVA_INT, 0) - 3;
      return address.asSlice(3, Math.max(0, octets)).toArray(ValueLayout.JAVA_BYTE);
    }
  }
}
