package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.streams.StreamWaiter;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;

/** Octet streams of programs go on when a daemon takes the place of another one. */
@Timeout(60)
class ReplacedStreamsTest extends ReplacedDaemonsFixture {
  private static String read(ProgramStream stream, int octets) throws IOException {
    byte[] read = new byte[octets];
    for (int at = 0; at < octets; ) {
      int more = stream.read(read, at, octets - at);
      assertThat(more).isPositive();
      at += more;
    }
    return new String(read, StandardCharsets.US_ASCII);
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** One stream is accepted, and the next one in another daemon; a third comes later. */
  @Test
  void shouldGoOnWithStreamsThatWaitAtTheirListener() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 8, 0)) {
      ProgramStream first = stream(here, 80);
      ProgramStream second = stream(here, 80);
      first.write(octets("one"));
      second.write(octets("two"));
      first.awaitConnected();
      second.awaitConnected();
      ProgramStream accepted = listener.accept(ConnectedPrograms.TIMEOUT);
      replace(ADDRESS_ONE);
      ProgramStream next = listener.accept(ConnectedPrograms.TIMEOUT);
      assertThat(List.of(read(accepted, 3), read(next, 3))).containsExactlyInAnyOrder("one", "two");
      replace(ADDRESS_ONE);
      ProgramStream third = stream(here, 80);
      replace(ADDRESS_ONE);
      third.write(octets("three"));
      ProgramStream last = listener.accept(ConnectedPrograms.TIMEOUT);
      assertThat(read(last, 5)).isEqualTo("three");
      for (ProgramStream each : List.of(first, second, third, accepted, next, last)) {
        each.close();
      }
    }
  }

  /** The socket of a listener takes 64. */
  @Test
  void shouldGoOnWithMoreStreamsThanAListenersSocketTakes() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 100, 0)) {
      List<ProgramStream> streams = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        streams.add(stream(here, 80));
      }
      for (ProgramStream each : List.copyOf(streams)) {
        each.awaitConnected();
      }
      replace(ADDRESS_ONE);
      for (int i = 0; i < 80; i++) {
        streams.add(listener.accept(ConnectedPrograms.TIMEOUT));
      }
      assertThat(streams).doesNotContainNull();
      streams.forEach(ProgramStream::close);
    }
  }

  /** A half-closed one, one that is being established, one of a session that has ended. */
  @Test
  void shouldGoOnWithStreamsInOtherStates() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        StreamWaiter waiter = here.openWaiter()) {
      ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 8, 0);
      ProgramStream out = stream(here, 80);
      ProgramStream in = listener.accept(ConnectedPrograms.TIMEOUT);
      out.endSending();
      assertThat(in.read(new byte[1], 0, 1)).isEqualTo(-1);
      ProgramStream connecting =
          here.connect(new InetSocketAddress("10.0.0.77", 80), null, 0, ConnectedPrograms.TIMEOUT);
      assertThat(out.tell(waiter, 7)).isTrue();
      listener.close();
      there.closeControl();
      replace(ADDRESS_ONE);
      assertThat(connecting.isDecided()).isFalse();
      connecting.close();
      assertThat(waiter.beginSleep()).isTrue();
      in.write(octets("still here"));
      PollSet poll = new PollSet();
      poll.add(waiter.descriptor());
      poll.await(ConnectedPrograms.TIMEOUT.toNanos());
      waiter.endSleep();
      List<Integer> told = new ArrayList<>();
      waiter.take(told::add);
      assertThat(told).containsExactly(7);
      assertThat(read(out, 10)).isEqualTo("still here");
      replace(ADDRESS_ONE);
      in.endSending();
      assertThat(out.read(new byte[1], 0, 1)).isEqualTo(-1);
      in.close();
      out.close();
      replace(ADDRESS_ONE);
    }
  }

  @Test
  void shouldGoOnWithBridges() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 8, 0)) {
      ProgramStream out = stream(here, 80);
      ProgramStream in = listener.accept(ConnectedPrograms.TIMEOUT);
      out.write(octets("before"));
      replace(ADDRESS_ONE);
      try (PairedSocket first = in.bridge()) {
        replace(ADDRESS_ONE);
        try (PairedSocket again = in.bridge()) {
          assertThat(PairedSocket.cookie(again.descriptor()))
              .isEqualTo(PairedSocket.cookie(first.descriptor()));
        }
        in.close();
        out.write(octets(" and after"));
        replace(ADDRESS_ONE);
        assertThat(receive(first, 16)).isEqualTo("before and after");
      }
      assertThat(out.read(new byte[1], 0, 1)).isEqualTo(-1);
      out.close();
    }
  }

  private static String receive(PairedSocket socket, int octets) throws IOException {
    StringBuilder read = new StringBuilder();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment octet = arena.allocate(1);
      PollSet poll = new PollSet();
      while (read.length() < octets) {
        poll.clear();
        poll.add(socket.descriptor());
        poll.await(ConnectedPrograms.TIMEOUT.toNanos());
        assertThat(socket.receive(octet.address(), 1)).isEqualTo(1);
        read.append((char) octet.get(ValueLayout.JAVA_BYTE, 0));
      }
    }
    return read.toString();
  }

  @Test
  void shouldGoOnWithOctetStreams() throws Exception {
    try (SteadyStream stream = new SteadyStream(control, ADDRESS_ONE, ConnectedPrograms.TWO)) {
      for (int i = 0; i < 4; i++) {
        stream.awaitOctets(100_000);
        replace(ADDRESS_ONE);
      }
      stream.awaitOctets(100_000);
    }
    exchange();
  }
}
