package org.rddp.daemon;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.StreamOffer;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.ring.StreamEnds;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;

/** Octet streams whose octets pass through a socket instead of shared memory. */
class OctetStreamBridgesTest extends OctetStreams {
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

  /** The abstract name of a socket's other end. */
  private static byte[] peerName(Descriptor socket) {
    return name("getpeername", socket.number());
  }

  @Test
  void shouldPassOctetsThroughASocketOfWhoHasNoMemory() throws Exception {
    establish();
    byte[] before = octets(30_000);
    client.write(before);
    server.write(before);
    PairedSocket bridged = server.bridge();
    byte[] name = peerName(bridged.descriptor());
    assertThat(new String(name, ISO_8859_1)).matches("(?s)rddp-stream/[0-9a-f]{16}.{40}");
    MemorySegment addresses = MemorySegment.ofArray(name).asSlice(28);
    assertThat(StreamEnds.read(addresses)).isEqualTo(server.ends());
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

  @Test
  void shouldBridgeWhatNobodyHasMappedAndEndEachDirectionByItself() throws Exception {
    try (ProgramListener listener = listen()) {
      client = connect(PORT);
      client.awaitConnected();
      client.write("early".getBytes(US_ASCII));
      StreamOffer offer = listener.receive(TIMEOUT);
      PairedSocket bridged = new PairedSocket(there.bridge(offer.stream()));
      PairedSocket again = new PairedSocket(there.bridge(offer.stream()));
      offer.stream().close();
      offer.memory().close();
      assertThat(receive(bridged, 5)).isEqualTo("early".getBytes(US_ASCII));
      send(again, "late".getBytes(US_ASCII));
      assertThat(read(client, 4)).isEqualTo("late".getBytes(US_ASCII));
      bridged.closeSending();
      assertThat(client.read(new byte[1], 0, 1)).isEqualTo(-1);
      client.write(octets(200_000));
      assertThat(receive(again, 200_000)).isEqualTo(octets(200_000));
      client.close();
      bridged.close();
      again.close();
    }
  }

  /** As if the engine had not looked at the doorbell yet. */
  @Test
  void shouldBridgeWhatAProgramHasMappedAndWrittenBeforeTheDoorbellIsLookedAt() throws Exception {
    try (ProgramListener listener = listen()) {
      client = connect(PORT);
      client.awaitConnected();
      client.write("early".getBytes(US_ASCII));
      StreamOffer offer = listener.receive(TIMEOUT);
      try (StreamMemory memory =
          StreamMemory.map(offer.memory(), offer.sendOctets(), offer.receiveOctets())) {
        byte[] before = octets(50_000);
        MemorySegment ring = MemorySegment.ofAddress(memory.sending().address(0)).reinterpret(RING);
        MemorySegment.copy(before, 0, ring, ValueLayout.JAVA_BYTE, 0, before.length);
        memory.header().addProgramFlags(StreamHeader.MAPPED | StreamHeader.TAKEN);
        assertThat(memory.header().write(0, before.length)).isTrue();
        PairedSocket bridged = new PairedSocket(there.bridge(offer.stream()));
        assertThat(memory.header().written()).isEqualTo(StreamHeader.MOVED | before.length);
        assertThat(memory.header().consumed()).isEqualTo(StreamHeader.MOVED);
        offer.stream().close();
        send(bridged, "late".getBytes(US_ASCII));
        bridged.closeSending();
        assertThat(read(client, before.length)).isEqualTo(before);
        assertThat(read(client, 4)).isEqualTo("late".getBytes(US_ASCII));
        assertThat(client.read(new byte[1], 0, 1)).isEqualTo(-1);
        assertThat(receive(bridged, 5)).isEqualTo("early".getBytes(US_ASCII));
        client.close();
        bridged.close();
      }
    }
  }

  @Test
  void shouldBridgeWhatHasEndedWithOctetsThatNobodyHasRead() throws Exception {
    establish();
    byte[] last = octets(20_000);
    client.write(last);
    client.endSending();
    server.endSending();
    assertThat(client.read(new byte[1], 0, 1)).isEqualTo(-1);
    while (server.header().state() != StreamHeader.ENDED) {
      Thread.onSpinWait();
    }
    PairedSocket bridged = server.bridge();
    server.close();
    assertThat(receive(bridged, last.length)).isEqualTo(last);
    try (Arena arena = Arena.ofConfined()) {
      long octet = arena.allocate(1).address();
      PollSet poll = new PollSet();
      poll.add(bridged.descriptor());
      poll.await(TIMEOUT.toNanos());
      assertThat(bridged.receive(octet, 1)).isZero();
      assertThat(bridged.send(octet, 1)).isEqualTo(-1);
    }
    bridged.close();
    client.close();
  }

  @Test
  void shouldRefuseABridgeOfWhatIsNotConnectedYet() throws Exception {
    InetSocketAddress nobody = new InetSocketAddress("10.0.0.77", PORT);
    client = here.connect(nobody, address(TestDaemon.ADDRESS_ONE), 0, TIMEOUT);
    assertThat(refusal(client::bridge)).isEqualTo(Reason.STATE);
    client.close();
  }

  @Test
  void shouldRefuseABridgeOfWhatIsNoStream() throws Exception {
    try (PairedSocket other = PairedSocket.ofMessages("test")[0]) {
      assertThat(refusal(() -> here.bridge(other.descriptor()))).isEqualTo(Reason.NOT_FOUND);
    }
  }
}
