package org.rddp.daemon;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;
import org.rddp.ipc.linux.SharedMemory;

/** What ended streams leave to the next ones of their program. */
@Timeout(60)
class StreamReserveTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int PORT = 7000;
  private static final InetSocketAddress AT = new InetSocketAddress("0.0.0.0", PORT);

  @BeforeEach
  void needImmutableMemory() throws Exception {
    assumeThat(SharedMemory.canBeImmutable()).isTrue();
  }

  private static ProgramStream connect(StreamSession session) throws IOException {
    return session.connect(
        new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT),
        InetAddress.getByName(TestDaemon.ADDRESS_ONE),
        0,
        TIMEOUT);
  }

  private static void pass(ProgramStream from, ProgramStream to) throws IOException {
    byte[] octets = "octets".getBytes(US_ASCII);
    from.write(octets);
    byte[] read = new byte[octets.length];
    int at = 0;
    while (at < octets.length) {
      at += to.read(read, at, octets.length - at);
    }
    assertThat(read).isEqualTo(octets);
  }

  /** The memories of streams that this process has mapped, by the kernel's numbers. */
  private static void addMemories(Set<String> numbers) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      lines
          .filter(line -> line.contains("memfd:rddp-stream"))
          .map(line -> line.split(" +", 6)[4])
          .forEach(numbers::add);
    }
  }

  @Test
  void shouldUseTheMemoryOfEndedStreamsAgain() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        StreamSession session = StreamSession.open(daemon.socket(), "test");
        ProgramListener listener = session.listen(AT, 8, 0)) {
      Set<String> memories = new HashSet<>();
      int streams = 0;
      // Each would have a memory of its own otherwise.
      while (memories.size() >= streams) {
        try (ProgramStream client = connect(session);
            ProgramStream server = listener.accept(TIMEOUT)) {
          pass(client, server);
          pass(server, client);
          addMemories(memories);
          streams += 2;
        }
      }
      assertThat(memories).isNotEmpty();
    }
  }

  /** A session keeps two of 128 memories, until another one of the same process needs them. */
  @Test
  void shouldGiveBackWhatOthersNeed() throws Exception {
    int memories = 128;
    try (TestDaemon daemon =
            TestDaemon.withEngines(
                1,
                "[limits]\nmemories = %d\nuser-share = 100\nprocess-share = 100\n"
                    .formatted(memories));
        StreamSession ended = StreamSession.open(daemon.socket(), "ended");
        StreamSession session = StreamSession.open(daemon.socket(), "test")) {
      try (ProgramListener listener = ended.listen(AT, 8, 0)) {
        for (int i = 0; i < 20; i++) {
          try (ProgramStream client = connect(ended);
              ProgramStream server = listener.accept(TIMEOUT)) {
            pass(client, server);
          }
        }
      }
      List<ProgramStream> all = new ArrayList<>();
      try (ProgramListener listener = session.listen(AT, 8, 0)) {
        while (all.size() < memories) {
          all.add(connect(session));
          all.add(listener.accept(TIMEOUT));
          pass(all.get(all.size() - 2), all.getLast());
        }
      }
      all.forEach(ProgramStream::close);
    }
  }
}
