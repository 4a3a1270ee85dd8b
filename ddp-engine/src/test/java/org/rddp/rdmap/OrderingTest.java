package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.wire.Memory;

/** The order of messages and completions (RFC 5040 section 5.5, RFC 7306 sections 5.4 and 7). */
class OrderingTest {
  private final RdmapFixture rdmap = new RdmapFixture();
  private final RdmapStream stream = rdmap.stream;
  private final long address = rdmap.memory.address();

  private static String send(int msn, String payload) {
    return "4143 00000000 00000000 %08x 00000000".formatted(msn) + payload;
  }

  /** An Atomic Request of the peer's that adds to the number at a Tagged Offset. */
  private static String fetchAdd(int msn, int stag, long to, long data) {
    return "414a 00000000 00000001 %08x 00000000".formatted(msn)
        + "00000000 0000beef %08x %016x %016x".formatted(stag, to, data)
        + "0000000000000000 0000000000000000 ffffffffffffffff";
  }

  private void receives(int count) {
    for (int i = 0; i < count; i++) {
      stream.postReceive(new StreamRequest(i).memory(address, 8));
    }
  }

  /** What the peer has received: the opcode of each message. */
  private String opcodes() {
    StringBuilder opcodes = new StringBuilder();
    rdmap.sent().forEach(hex -> opcodes.append(hex.charAt(3)));
    return opcodes.toString();
  }

  private StreamRequest request(int id) {
    return new StreamRequest(id).memory(address, 1);
  }

  // ---- Sent ----

  @Test
  @Tag("RDMAP-5.1-03") // Writes
  @Tag("RDMAP-5.2-09") // Read Requests
  @Tag("RDMAP-5.3-05") // Sends
  @Tag("RDMAP-5.5-08") // all kinds among each other
  @Tag("RDMAP-6.1-01") // and nothing else
  @Tag("RDMAPX-6-05") // Immediate Data
  void shouldSendMessagesOfAllKindsInTheOrderOfThePosts() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postWrite(request(1).remote(7, 0));
    stream.postRead(new StreamRequest(2).local(sink, 0, 1).remote(7, 1));
    stream.postSend(request(3).remote(9, 0));
    stream.postImmediate(new StreamRequest(4).immediate(5));
    stream.postRead(new StreamRequest(5).local(sink, 1, 1).remote(7, 2));
    stream.postSend(request(6).flags(RdmapFlags.SOLICITED));
    stream.postWrite(request(7).remote(7, 3));
    stream.postSend(request(8));
    stream.close();
    rdmap.run();
    assertThat(opcodes()).isEqualTo("01481503");
    assertThat(rdmap.peer.events())
        .as("nothing but these, and the end of our half")
        .containsExactly("full operation", "peer closed");
  }

  @Test
  @Tag("RDMAP-5.1-03")
  @Tag("RDMAP-5.1-05")
  void shouldSendWritesInTheOrderOfThePostsAlsoThoseOfNoOctets() {
    for (int i = 1; i <= 3; i++) {
      stream.postWrite(new StreamRequest(i).memory(address, i - 1).remote(7, i));
    }
    rdmap.run();
    assertThat(rdmap.sent().stream().map(hex -> hex.substring(12, 28)))
        .containsExactly("0000000000000001", "0000000000000002", "0000000000000003");
    assertThat(rdmap.user.events())
        .containsExactly("write 1 done 0", "write 2 done 1", "write 3 done 2");
  }

  @Test
  @Tag("RDMAP-5.2-09")
  @Tag("RDMAP-5.2-11")
  @Tag("RDMAPX-5.2-05")
  void shouldSendReadsAndAtomicsInTheOrderOfThePosts() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postFetchAdd(new StreamRequest(1).memory(address, 8).remote(7, 8));
    stream.postRead(new StreamRequest(2).local(sink, 9, 1).remote(7, 16));
    stream.postFetchAdd(new StreamRequest(3).memory(address, 8).remote(7, 24));
    stream.postFetchAdd(new StreamRequest(4).memory(address, 8).remote(7, 32));
    rdmap.run();
    rdmap.receive("414b 00000000 00000003 00000001 00000000 00000000 0000000000000001");
    rdmap.receive("c142 %08x 0000000000000009 01".formatted(sink));
    assertThat(rdmap.sent())
        .extracting(hex -> hex.substring(3, 4) + " MSN " + hex.charAt(27))
        .containsExactly("a MSN 1", "1 MSN 2", "a MSN 3", "a MSN 4");
  }

  @Test
  @Tag("RDMAP-5.5-09")
  void shouldNotCompleteAMessageThatTcpHasNotTaken() {
    rdmap.tcp.setWindow(0);
    stream.postWrite(request(1).remote(7, 0));
    stream.postSend(request(2));
    rdmap.run();
    assertThat(rdmap.user.events()).isEmpty();
    rdmap.tcp.setWindow(9);
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("write 1 done 1", "send 2 done 1");
  }

  // ---- Received ----

  @Test
  @Tag("RDMAP-5.3-07")
  @Tag("RDMAP-5.3-01")
  void shouldUseUpAReceiveForASendOfNoOctets() {
    receives(2);
    assertThat(rdmap.receive(send(1, ""), send(2, "05")))
        .containsExactly("receive 0 done 0", "receive 1 done 1");
  }

  @Test
  @Tag("RDMAPX-6-05")
  void shouldDeliverImmediateDataAmongTheSends() {
    receives(3);
    String immediate = "4148 00000000 00000000 00000002 00000000 0000000000000007";
    assertThat(rdmap.receive(send(1, "01"), immediate, send(3, "03")))
        .containsExactly("receive 0 done 1", "immediate 1 data 7", "receive 2 done 1");
  }

  @Test
  @Tag("RDMAP-5.5-11")
  @Tag("RDMAPX-5.4-03")
  void shouldDeliverASendWhileRequestsBeforeItAreStillToBeAnswered() {
    int stag =
        rdmap.register(
            AccessRights.REMOTE_READ | AccessRights.REMOTE_ATOMIC | AccessRights.REMOTE_WRITE);
    receives(1);
    rdmap.tcp.setWindow(0);
    assertThat(
            rdmap.receive(
                RdmapFixture.readRequest(1, 9, 0, 1, stag, 0),
                fetchAdd(2, stag, 8, 1),
                "c140 %08x 0000000000000010 55".formatted(stag),
                send(1, "66")))
        .containsExactly("receive 0 done 1");
    assertThat(rdmap.sent()).isEmpty();
    assertThat(Memory.bytes(address + 16, 1)).containsExactly(0x55);
  }

  @Test
  @Tag("RDMAP-5.5-12")
  void shouldNotCompleteAReadBeforeTheLastSegmentOfItsAnswer() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink, 0, 2).remote(7, 0));
    rdmap.run();
    assertThat(rdmap.receive("8142 %08x 0000000000000000 0102".formatted(sink))).isEmpty();
    assertThat(rdmap.receive("c142 %08x 0000000000000002".formatted(sink)))
        .containsExactly("read 1 done 2");
  }

  /** A receive is posted only then. */
  @Test
  @Tag("RDMAPX-7-01")
  void shouldNotAnswerARequestBehindASendThatIsHeld() {
    RdmapFixture holding = new RdmapFixture(1 << 16);
    int stag = holding.register(AccessRights.REMOTE_READ | AccessRights.REMOTE_ATOMIC);
    String read = RdmapFixture.readRequest(1, 9, 0, 1, stag, 0);
    assertThat(holding.receive(send(1, "66"), read, fetchAdd(2, stag, 8, 1))).isEmpty();
    assertThat(holding.sent()).isEmpty();
    holding.stream.postReceive(new StreamRequest(3).memory(holding.memory.address() + 64, 8));
    holding.run();
    assertThat(holding.user.events()).containsExactly("receive 3 done 1");
    assertThat(holding.sent().stream().map(hex -> hex.substring(0, 4)))
        .containsExactly("c142", "414b");
  }

  // ---- Resources ----

  /** Empty Reads as well; the answers cannot leave. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @Tag("RDMAP-5.2-07")
  void shouldUseUpAPlaceForEachReadRequest(int octets) {
    int source = rdmap.readable();
    rdmap.tcp.setWindow(0);
    for (int msn = 1; msn <= RdmapFixture.IRD; msn++) {
      assertThat(rdmap.receive(RdmapFixture.readRequest(msn, 1, 0, octets, source, 0))).isEmpty();
    }
    String more = RdmapFixture.readRequest(RdmapFixture.IRD + 1, 1, 0, octets, source, 0);
    assertThat(rdmap.receive(more)).containsExactly("error 1/2/2");
  }

  @Test
  @Tag("RDMAPX-5.2-04")
  void shouldUseUpAPlaceForEachAtomicRequest() {
    int stag = rdmap.register(AccessRights.REMOTE_ATOMIC);
    rdmap.tcp.setWindow(0);
    for (int msn = 1; msn <= RdmapFixture.IRD; msn++) {
      assertThat(rdmap.receive(fetchAdd(msn, stag, 8, 1))).isEmpty();
    }
    assertThat(rdmap.receive(fetchAdd(RdmapFixture.IRD + 1, stag, 8, 1)))
        .containsExactly("error 1/2/2");
  }

  @Test
  @Tag("RDMAPX-5.2-09")
  void shouldHaveRoomForTheAnswersOfAllAtomics() {
    for (int i = 0; i < RdmapFixture.ORD; i++) {
      stream.postFetchAdd(new StreamRequest(i).memory(address, 8).remote(7, 8));
    }
    rdmap.run();
    for (int i = 0; i < RdmapFixture.ORD; i++) {
      rdmap.peer.send(
          "414b 00000000 00000003 %08x 00000000 %08x 0000000000000001".formatted(i + 1, i));
    }
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("atomic 0 done 8", "atomic 1 done 8");
  }

  /** Nothing is left for any other message. */
  @Test
  @Tag("RDMAP-5.4-04")
  void shouldAlwaysHaveRoomForATerminate() {
    int source = rdmap.readable();
    rdmap.tcp.setWindow(0);
    for (int i = 0; i < RdmapFixture.SEND_DEPTH; i++) {
      stream.postSend(request(i));
    }
    for (int msn = 1; msn <= RdmapFixture.IRD; msn++) {
      rdmap.receive(RdmapFixture.readRequest(msn, 1, 0, 1, source, 0));
    }
    assertThat(rdmap.receive("4147 00000000 00000002 00000001 00000000 20020000"))
        .hasSize(RdmapFixture.SEND_DEPTH + 1)
        .endsWith("error 2/0/2");
  }

  /** A user that takes its program's requests when asked must not be asked by what it starts. */
  @Test
  void shouldNotAskForAReceiveWhileItTakesWhatItHasHeld() {
    RdmapFixture held = new RdmapFixture(1000);
    int[] asked = {0};
    held.user.onReceiveMissing = () -> asked[0]++;
    for (int msn = 1; msn <= 3; msn++) {
      held.receive("4143 00000000 00000000 %08x 00000000 0a".formatted(msn));
    }
    assertThat(asked[0]).as("for the first message").isEqualTo(1);
    held.stream.postReceive(new StreamRequest(1).memory(held.memory.address(), 8));
    assertThat(held.user.events()).containsExactly("receive 1 done 1");
    assertThat(asked[0]).isEqualTo(1);
  }
}
