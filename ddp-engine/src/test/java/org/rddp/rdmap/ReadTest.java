package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.rdmap.RdmapFixture.readRequest;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;

/** RDMA Read from both ends (RFC 5040 sections 4.4, 5.2 and 7.2). */
class ReadTest {
  private final RdmapFixture rdmap = new RdmapFixture();
  private final RdmapStream stream = rdmap.stream;
  private final int sink = rdmap.register(AccessRights.LOCAL_WRITE);

  private String response(int control, long to, String payload) {
    return "%02x42 %08x %016x".formatted(control, sink, to) + payload;
  }

  @Test
  @Tag("RDMAP-4.4-01") // 28 octets
  @Tag("RDMAP-4.1-04") // the opcode
  @Tag("RDMAP-4.1-05") // the queue, or tagged
  @Tag("RDMAP-4.1-03") // reserved bits are zero
  @Tag("RDMAP-4.1-06") // the STag to invalidate, or zero
  @Tag("RDMAP-5.2-11") // one buffer
  void shouldSendAReadRequest() {
    assertThat(
            stream.postRead(
                new StreamRequest(1)
                    .local(sink, 0x30, 0x40)
                    .remote(0xd220_2400, 0x55c6_e683_1d50L)))
        .isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).isEmpty();
    assertThat(rdmap.sent())
        .containsExactly(
            "4141"
                + "00000000"
                + "00000001"
                + "00000001"
                + "00000000"
                + "%08x".formatted(sink)
                + "0000000000000030"
                + "00000040"
                + "d2202400"
                + "000055c6e6831d50");
  }

  @Test
  @Tag("RDMAP-5.2-06")
  @Tag("RDMAP-5.2-13")
  @Tag("RDMAP-5.5-12")
  void shouldEndWhenTheAnswerHasCome() {
    stream.postRead(new StreamRequest(1).local(sink, 100, 5).remote(7, 0));
    rdmap.run();
    assertThat(rdmap.receive(response(0x81, 100, "0102"))).isEmpty();
    assertThat(rdmap.receive(response(0xc1, 102, "030405"))).containsExactly("read 1 done 5");
    byte[] model = new byte[rdmap.memory.length()];
    Arrays.fill(model, GuardedMemory.POISON);
    System.arraycopy(new byte[] {1, 2, 3, 4, 5}, 0, model, 100, 5);
    rdmap.memory.assertHolds(model);
  }

  @Test
  @Tag("RDMAP-4.4-02")
  void shouldReadZeroOctets() {
    stream.postRead(new StreamRequest(1).local(0, 0, 0));
    rdmap.run();
    assertThat(rdmap.receive("c142 deadbeef 0000000000000009")).containsExactly("read 1 done 0");
  }

  @Test
  @Tag("RDMAP-4.4-02")
  @Tag("RDMAP-4.5-01")
  void shouldAnswerAReadOfNothingWithoutLookingForItsSource() {
    assertThat(rdmap.receive(readRequest(1, 0xaaaa, 5, 0, 0xdead_beef, -1))).isEmpty();
    assertThat(rdmap.sent()).containsExactly("c142" + "0000aaaa" + "0000000000000005");
  }

  /** Or two ends that close while each waits for an answer would wait for ever. */
  @Test
  void shouldAnswerUntilItsHalfIsClosed() {
    int source = rdmap.register(AccessRights.REMOTE_READ);
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(1).memory(rdmap.memory.address(), 1));
    stream.close();
    rdmap.receive(readRequest(1, 0xaaaa, 5, 3, source, 0));
    rdmap.tcp.setWindow(9);
    rdmap.run();
    assertThat(rdmap.sent())
        .extracting(hex -> hex.substring(0, 4))
        .containsExactlyInAnyOrder("4143", "c142");
    assertThat(rdmap.peer.events()).containsExactly("full operation", "peer closed");
  }

  @Test
  @Tag("RDMAP-5.5-02")
  void shouldCompleteInTheOrderOfThePosts() {
    stream.postRead(new StreamRequest(1).local(sink, 0, 1).remote(7, 0));
    stream.postSend(new StreamRequest(2).memory(rdmap.memory.address(), 1));
    stream.postRead(new StreamRequest(3).local(sink, 1, 1).remote(7, 0));
    stream.postWrite(new StreamRequest(4).memory(rdmap.memory.address(), 1).remote(7, 0));
    rdmap.run();
    assertThat(rdmap.user.events()).isEmpty();
    assertThat(rdmap.sent()).hasSize(4);
    assertThat(rdmap.receive(response(0xc1, 0, "01")))
        .containsExactly("read 1 done 1", "send 2 done 1");
    assertThat(rdmap.receive(response(0xc1, 1, "02")))
        .containsExactly("read 3 done 1", "write 4 done 1");
  }

  @Test
  @Tag("RDMAP-5.5-02")
  void shouldCompleteWhatIsRefusedOrFlushedInTheOrderOfThePosts() {
    long address = rdmap.memory.address();
    stream.postRead(new StreamRequest(1).local(sink, 0, 1).remote(7, 0));
    stream.postRead(new StreamRequest(2).local(sink + 1, 0, 1).remote(7, 0));
    stream.postSend(new StreamRequest(3).memory(address, 1L << 32));
    stream.postWrite(new StreamRequest(4).memory(address, 1).remote(7, 0));
    stream.close();
    stream.postSend(new StreamRequest(5).memory(address, 1));
    stream.localOperations().postInvalidate(new StreamRequest(6).local(7, 0, 0));
    rdmap.run();
    assertThat(rdmap.user.events()).isEmpty();
    assertThat(rdmap.receive(response(0xc1, 0, "01")))
        .containsExactly(
            "read 1 done 1",
            "read 2 protection error 0",
            "send 3 length error 0",
            "write 4 done 1",
            "send 5 flushed 0",
            "invalidate 6 flushed 0");
  }

  @Test
  @Tag("RDMAP-5.2-01")
  void shouldHaveNoMoreThanOrdReadsAtThePeer() {
    for (int i = 0; i < 4; i++) {
      stream.postRead(new StreamRequest(i).local(sink, i, 1).remote(7, 0));
    }
    stream.postSend(new StreamRequest(9).memory(rdmap.memory.address(), 0));
    rdmap.run();
    assertThat(rdmap.sent()).hasSize(RdmapFixture.ORD);
    assertThat(rdmap.receive(response(0xc1, 0, "01"))).containsExactly("read 0 done 1");
    assertThat(rdmap.sent()).hasSize(1);
    assertThat(rdmap.receive(response(0xc1, 1, "01"))).containsExactly("read 1 done 1");
    assertThat(rdmap.sent()).as("the last read and the send behind it").hasSize(2);
    assertThat(rdmap.receive(response(0xc1, 2, "01"), response(0xc1, 3, "01")))
        .containsExactly("read 2 done 1", "read 3 done 1", "send 9 done 0");
  }

  @Test
  void shouldTakeNoMoreThanTheQueueHolds() {
    for (int i = 0; i < RdmapFixture.SEND_DEPTH; i++) {
      assertThat(stream.postRead(new StreamRequest(i).local(sink, 0, 1).remote(7, 0))).isTrue();
    }
    rdmap.run();
    assertThat(stream.postRead(new StreamRequest(9).local(sink, 0, 1).remote(7, 0))).isFalse();
    assertThat(stream.postSend(new StreamRequest(9).memory(rdmap.memory.address(), 1))).isFalse();
  }

  @Test
  @Tag("RDMAP-5.2-04")
  void shouldNotReadIntoWhatItMayNotWrite() {
    int length = rdmap.memory.length();
    int remote = rdmap.register(AccessRights.REMOTE_WRITE);
    int foreign = rdmap.register(new ProtectionDomain("other"), AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink + 1, 0, 1).remote(7, 0));
    stream.postRead(new StreamRequest(2).local(remote, 0, 1).remote(7, 0));
    stream.postRead(new StreamRequest(3).local(foreign, 0, 1).remote(7, 0));
    stream.postRead(new StreamRequest(4).local(sink, 1, length).remote(7, 0));
    stream.postRead(new StreamRequest(5).local(sink, -1, 1).remote(7, 0));
    assertThat(rdmap.user.events())
        .containsExactly(
            "read 1 protection error 0",
            "read 2 protection error 0",
            "read 3 protection error 0",
            "read 4 protection error 0",
            "read 5 protection error 0");
    rdmap.run();
    assertThat(rdmap.sent()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "00000001, 10, 01",
    "sink, 9, 01",
    "sink, 11, 01",
    "sink, 10, 010203",
    "sink, 10, 01"
  })
  @Tag("RDMAP-5.2-04")
  @Tag("RDMAP-4.8-05")
  @Tag("RDMAP-4.8-07")
  void shouldRefuseAnAnswerToAnotherRequest(String stag, long to, String payload) {
    stream.postRead(new StreamRequest(1).local(sink, 10, 2).remote(7, 0));
    rdmap.run();
    rdmap.sent();
    String name = stag.equals("sink") ? "%08x".formatted(sink) : stag;
    String header = "c142" + name + "%016x".formatted(to);
    assertThat(rdmap.receive(header + payload))
        .containsExactly("read 1 flushed 0", "error 0/2/255");
    String length = "%04x".formatted((header.length() + payload.length()) / 2);
    assertThat(rdmap.sent())
        .containsExactly("414700000000000000020000000100000000" + "02ffc000" + length + header);
    rdmap.memory.assertUntouched();
  }

  @Test
  @Tag("RDMAP-5.2-04")
  void shouldRefuseAnAnswerWithoutARequest() {
    assertThat(rdmap.receive(response(0xc1, 0, "01"))).containsExactly("error 0/2/6");
    rdmap.memory.assertUntouched();
  }

  @Test
  void shouldRefuseAnAnswerIntoWhatHasBeenInvalidated() {
    stream.postRead(new StreamRequest(1).local(sink, 0, 2).remote(7, 0));
    rdmap.run();
    assertThat(rdmap.receive(response(0x81, 0, "01"))).isEmpty();
    rdmap.engine.taggedBuffers().invalidate(sink);
    assertThat(rdmap.receive(response(0xc1, 1, "02")))
        .containsExactly("read 1 protection error 0", "error 1/1/0");
  }

  @Test
  @Tag("RDMAP-6.2-02")
  @Tag("RDMAP-6.2-03")
  void shouldEndWhenThePeerClosesWithoutAnAnswer() {
    stream.postReceive(new StreamRequest(5).memory(rdmap.memory.address(), 1));
    stream.postRead(new StreamRequest(1).local(sink, 0, 2).remote(7, 0));
    stream.postSend(new StreamRequest(2).memory(rdmap.memory.address(), 2));
    rdmap.run();
    rdmap.peer.mpa().closeSend();
    rdmap.run();
    assertThat(rdmap.user.events())
        .containsExactly(
            "receive 5 flushed 0",
            "read 1 flushed 0",
            "send 2 done 2",
            "error 2/0/1",
            "closed NORMAL");
    assertThat(rdmap.sent().getLast())
        .as("our half still takes a Terminate")
        .isEqualTo("414700000000000000020000000100000000" + "20010000");
  }

  @Test
  void shouldFlushReadsInOrderWhenAborted() {
    stream.postRead(new StreamRequest(1).local(sink, 0, 2).remote(7, 0));
    rdmap.run();
    stream.postSend(new StreamRequest(2).memory(rdmap.memory.address(), 2));
    stream.postRead(new StreamRequest(3).local(sink, 0, 2).remote(7, 0));
    stream.abort();
    List<String> events = rdmap.user.events();
    assertThat(events)
        .containsExactlyInAnyOrder(
            "read 1 flushed 0", "send 2 flushed 0", "read 3 flushed 0", "closed ABORTED");
    assertThat(events.subList(0, 3))
        .containsExactly("read 1 flushed 0", "send 2 flushed 0", "read 3 flushed 0");
  }

  @Test
  @Tag("RDMAP-5.2-03") // without the program
  @Tag("RDMAP-4.5-01") // STag and TO as they came
  @Tag("RDMAP-4.1-05") // the queue, or tagged
  @Tag("RDMAP-4.3-01") // no header of RDMAP's
  @Tag("RDMAP-5.2-08") // a response to each
  @Tag("RDMAP-5.2-10") // in the order of the requests
  @Tag("RDMAP-5.5-13") // responses in that order, too
  void shouldAnswerInOrder() {
    rdmap.memory.put(0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    int source = rdmap.readable();
    assertThat(
            rdmap.receive(
                readRequest(1, 0xaaaa, 0x1_0000_0000L, 3, source, 1),
                readRequest(2, 0xbbbb, 5, 2, source, 6),
                readRequest(3, 0xcccc, 6, 0, 0xdead, -1)))
        .isEmpty();
    assertThat(rdmap.sent())
        .containsExactly(
            "c142" + "0000aaaa" + "0000000100000000" + "020304",
            "c142" + "0000bbbb" + "0000000000000005" + "0708",
            "c142" + "0000cccc" + "0000000000000006");
  }

  @Test
  @Tag("RDMAP-5.2-06")
  void shouldCutALongAnswer() {
    byte[] octets = new byte[5000];
    for (int i = 0; i < octets.length; i++) {
      octets[i] = (byte) (i * 7);
    }
    rdmap.memory.put(0, octets);
    rdmap.receive(readRequest(1, 0xaaaa, 0, 5000, rdmap.readable(), 0));
    List<String> sent = rdmap.sent();
    assertThat(sent.stream().map(hex -> hex.substring(0, 28)))
        .containsExactly(
            "8142" + "0000aaaa" + "0000000000000000",
            "8142" + "0000aaaa" + "0000000000000594",
            "8142" + "0000aaaa" + "0000000000000b28",
            "c142" + "0000aaaa" + "00000000000010bc");
    StringBuilder payload = new StringBuilder();
    sent.forEach(hex -> payload.append(hex.substring(28)));
    assertThat(payload.toString()).isEqualTo(HexFormat.of().formatHex(octets));
  }

  @Test
  @Tag("RDMAP-5.5-04")
  void shouldAnswerBetweenTheProgramsMessages() {
    int source = rdmap.readable();
    rdmap.tcp.setWindow(0);
    for (int i = 0; i < 3; i++) {
      stream.postSend(new StreamRequest(i).memory(rdmap.memory.address(), 0));
    }
    rdmap.receive(
        readRequest(1, 1, 0, 1, source, 0),
        readRequest(2, 1, 0, 1, source, 0),
        readRequest(3, 1, 0, 1, source, 0));
    rdmap.tcp.setWindow(20);
    rdmap.run();
    assertThat(rdmap.sent().stream().map(hex -> hex.substring(2, 4)))
        .containsExactly("42", "43", "42", "43", "42", "43");
  }

  @Test
  void shouldTakeAnotherRequestForEachAnswer() {
    int source = rdmap.readable();
    for (int msn = 1; msn < 20; msn++) {
      assertThat(rdmap.receive(readRequest(msn, 1, 0, 1, source, 0))).isEmpty();
    }
    assertThat(rdmap.sent()).hasSize(19);
  }

  @Test
  @Tag("RDMAP-5.2-02")
  @Tag("DDP-7.1-02")
  void shouldRefuseMoreRequestsThanIrd() {
    int source = rdmap.readable();
    rdmap.tcp.setWindow(0);
    for (int msn = 1; msn <= RdmapFixture.IRD; msn++) {
      assertThat(rdmap.receive(readRequest(msn, 1, 0, 1, source, 0))).isEmpty();
    }
    assertThat(rdmap.receive(readRequest(RdmapFixture.IRD + 1, 1, 0, 1, source, 0)))
        .containsExactly("error 1/2/2");
  }

  @ParameterizedTest
  @CsvSource({
    "none, 0, 1, 0/1/0",
    "foreign, 0, 1, 0/1/3",
    "writable, 0, 1, 0/1/2",
    "readable, -1, 1, 0/1/4",
    "readable, -2, 1, 0/1/1",
    "readable, 8192, 1, 0/1/1",
    "readable, 8191, 2, 0/1/1",
    "readable, 0, 8193, 0/1/1",
    "readable, 0, -1, 0/1/1"
  })
  @Tag("RDMAP-7.2-01")
  @Tag("RDMAP-8.1.1-03")
  void shouldRefuseToReadWhatThePeerMayNot(String which, long to, int size, String error) {
    int source =
        switch (which) {
          case "foreign" -> rdmap.register(new ProtectionDomain("x"), AccessRights.REMOTE_READ);
          case "writable" -> rdmap.register(AccessRights.REMOTE_WRITE | AccessRights.LOCAL_WRITE);
          case "readable" -> rdmap.readable();
          default -> 0x1234;
        };
    String request = readRequest(1, 0xaaaa, 0, size, source, to);
    assertThat(rdmap.receive(request)).containsExactly("error " + error);
    assertThat(rdmap.sent())
        .as("the Terminate quotes the request")
        .containsExactly(
            "4147"
                + "00000000"
                + "00000002"
                + "00000001"
                + "00000000"
                + error.substring(0, 4).replace("/", "")
                + "0"
                + error.substring(4)
                + "e000"
                + "002e"
                + request.replace(" ", ""));
  }

  @ParameterizedTest
  @CsvSource({
    "4141 00000000 00000001 00000001 00000000 01, 0/2/255",
    "0141 00000000 00000001 00000001 00000000 01, 1/2/4",
    "4141 00000000 00000001 00000001 00000001 01, 1/2/4",
    "4141 00000000 00000001 00000000 00000000 01, 1/2/3",
    "4141 00000000 00000001 00000002 00000000 01, 1/2/3",
    "4141 00000000 00000001 00000007 00000000 01, 1/2/2",
    "4141 00000000 00000000 00000001 00000000 01, 0/2/6",
    "4143 00000000 00000001 00000001 00000000 01, 0/2/6"
  })
  @Tag("RDMAP-4.1-05")
  void shouldRefuseAMalformedRequest(String ulpdu, String error) {
    assertThat(rdmap.receive(ulpdu)).containsExactly("error " + error);
  }

  @Test
  @Tag("RDMAP-7.1-02")
  @Tag("RDMAP-4.8-02")
  void shouldTellWhichReadIsWrong() {
    String request = readRequest(1, 0xaaaa, 5, 8, 0xdead_beef, 0).replace(" ", "");
    assertThat(rdmap.receive(request)).containsExactly("error 0/1/0");
    assertThat(rdmap.sent())
        .containsExactly(
            "4147" + "00000000" + "00000002" + "00000001" + "00000000" + "0100e000002e" + request);
  }

  @Test
  @Tag("RDMAP-4.4-01")
  void shouldRefuseARequestTooShort() {
    String request = readRequest(1, 1, 0, 1, rdmap.readable(), 0);
    assertThat(rdmap.receive(request.substring(0, request.length() - 2)))
        .containsExactly("error 0/2/255");
  }

  @Test
  @Tag("RDMAP-4.4-01")
  @Tag("RDMAP-4.2-01")
  void shouldRefuseARequestTooLong() {
    assertThat(rdmap.receive(readRequest(1, 1, 0, 1, rdmap.readable(), 0) + "00"))
        .containsExactly("error 0/2/255");
  }

  @Test
  @Tag("RDMAP-5.2-05")
  void shouldReadNoFurtherWhenTheSourceIsInvalidated() {
    int source = rdmap.readable();
    String request = readRequest(1, 0xaaaa, 0, 5000, source, 0);
    rdmap.peer.send(request);
    rdmap.tcp.run(() -> {});
    assertThat(rdmap.engine.send(2)).isEqualTo(2);
    rdmap.engine.taggedBuffers().invalidate(source);
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("error 0/1/0");
    assertThat(rdmap.sent())
        .satisfiesExactly(
            first -> assertThat(first).startsWith("8142"),
            second -> assertThat(second).startsWith("8142"),
            terminate ->
                assertThat(terminate)
                    .as("what is left of the request")
                    .endsWith(
                        ("0100 e000 002e 4141 00000000 00000001 00000001 00000000"
                                + "0000aaaa %016x %08x %08x %016x")
                            .formatted(2856, 5000 - 2856, source, 2856)
                            .replace(" ", "")));
  }
}
