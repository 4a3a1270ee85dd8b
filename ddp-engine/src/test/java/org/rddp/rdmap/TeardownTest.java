package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.LlpFailure;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.mpa.MpaError;

/** Terminates, sent and received, and Sends that invalidate (RFC 5040 sections 4.8, 5.3 and 6). */
class TeardownTest {
  private final RdmapFixture rdmap = new RdmapFixture();
  private final RdmapStream stream = rdmap.stream;

  private static String terminate(int msn, String payload) {
    return "4147 00000000 00000002 %08x 00000000".formatted(msn) + payload;
  }

  private static String sentTerminate(String payload) {
    return terminate(1, payload).replace(" ", "");
  }

  @ParameterizedTest
  @CsvSource({
    "c140 deadbeef 0000000000000000 01, 1100 c000 000f c140 deadbeef 0000000000000000,",
    "c040 deadbeef 0000000000000000, 1104 c000 000e c040 deadbeef 0000000000000000,",
    "4143 00000000 00000000 00000001 00000000 01,"
        + " 1202 c000 0013 4143 00000000 00000000 00000001 00000000,",
    "c14f deadbeef 0000000000000000, 0206 c000 000e c14f deadbeef 0000000000000000,"
        + " RDMAP-4.1-04",
    "c180 deadbeef 0000000000000000, 0205 c000 000e c180 deadbeef 0000000000000000,",
    "c140, 1000 0000, RDMAP-4.1-06"
  })
  @Tag("RDMAP-4.8-01")
  @Tag("RDMAP-4.8-02")
  @Tag("RDMAP-5.4-01")
  @Tag("RDMAP-6.2-04")
  void shouldTellThePeerWhatWasWrongAndClose(String ulpdu, String payload, String clauses) {
    rdmap.receive(ulpdu, ulpdu);
    assertThat(rdmap.sent()).containsExactly(sentTerminate(payload.replace(" ", "")));
    assertThat(rdmap.peer.events()).containsExactly("full operation", "peer closed");
  }

  /** It belongs to another stream of the same domain, or to a stream of another domain. */
  @ParameterizedTest
  @CsvSource({"true, RDMAP-8.1.1-02", "false, RDMAP-8.1.1-01"})
  @Tag("RDMAP-4.8-01")
  void shouldTellThePeerOfAnStagOfAnotherStream(boolean sameDomain, String clause) {
    int stag =
        sameDomain
            ? rdmap.registerFor(rdmap.anotherStream(), AccessRights.ALL)
            : rdmap.register(new ProtectionDomain("x"), AccessRights.ALL);
    String header = "c140 %08x 0000000000000000".formatted(stag);
    assertThat(rdmap.receive(header + "01")).containsExactly("error 1/1/2");
    assertThat(rdmap.sent()).containsExactly(sentTerminate("1102 c000 000f" + header));
    rdmap.memory.assertUntouched();
  }

  /** The only message that is left to a stream that has failed is not the program's. */
  @ParameterizedTest
  @CsvSource({
    "c140 deadbeef 0000000000000000 01, 1100 c000 000f c140 deadbeef 0000000000000000, error 1/1/0",
    "c14f deadbeef 0000000000000000, 0206 c000 000e c14f deadbeef 0000000000000000, error 0/2/6"
  })
  @Tag("RDMAP-4.8-01")
  @Tag("RDMAP-5.4-01")
  void shouldTellThePeerThoughTheProgramPostsWhileItIsFlushed(
      String ulpdu, String payload, String error) {
    assertThat(stream.postReceive(new StreamRequest(5).memory(rdmap.memory.address(), 10)))
        .isTrue();
    assertThat(stream.postReceive(new StreamRequest(6).memory(rdmap.memory.address(), 10)))
        .isTrue();
    rdmap.user.onFlushed =
        () -> {
          rdmap.user.onFlushed = () -> {};
          stream.postWrite(new StreamRequest(9).memory(rdmap.memory.address(), 4).remote(77, 0));
        };
    assertThat(rdmap.receive(ulpdu))
        .containsExactly("receive 5 flushed 0", "write 9 flushed 0", "receive 6 flushed 0", error);
    assertThat(rdmap.sent()).containsExactly(sentTerminate(payload.replace(" ", "")));
  }

  @Test
  @Tag("RDMAP-5.4-02")
  @Tag("RDMAP-5.4-06")
  void shouldSendNothingThatIsPostedWhileThePeersTerminateFlushes() {
    assertThat(stream.postReceive(new StreamRequest(5).memory(rdmap.memory.address(), 10)))
        .isTrue();
    rdmap.user.onFlushed =
        () -> {
          rdmap.user.onFlushed = () -> {};
          stream.postWrite(new StreamRequest(9).memory(rdmap.memory.address(), 4).remote(77, 0));
        };
    assertThat(rdmap.receive(terminate(1, "11010000")))
        .containsExactly("receive 5 flushed 0", "write 9 flushed 0", "error 1/1/1");
    assertThat(rdmap.sent()).isEmpty();
  }

  @Test
  @Tag("RDMAP-4.8-01")
  @Tag("RDMAP-7.1-01")
  @Tag("RDMAP-4.1-05")
  void shouldTellThePeerOfAnErrorOfMpa() {
    LlpFailure.report(stream.ddp(), MpaError.CRC);
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("error 2/0/2");
    assertThat(rdmap.sent()).containsExactly(sentTerminate("20020000"));
    assertThat(rdmap.peer.events()).containsExactly("full operation", "peer closed");
  }

  /** The second segment is of another error, and then MPA finds one, too. */
  @Test
  @Tag("RDMAP-7.1-04")
  @Tag("RDMAP-7.1-05")
  void shouldTellOfTheFirstErrorBeforeAllThatWaits() {
    rdmap.tcp.setWindow(0);
    for (int i = 0; i < RdmapFixture.SEND_DEPTH; i++) {
      stream.postSend(new StreamRequest(i).memory(rdmap.memory.address(), 1000));
    }
    rdmap.receive("c14f deadbeef 0000000000000000", "c140 deadbeef 0000000000000000 01");
    LlpFailure.report(stream.ddp(), MpaError.CRC);
    assertThat(rdmap.user.events()).isEmpty();
    rdmap.tcp.setWindow(9);
    rdmap.run();
    assertThat(rdmap.sent())
        .containsExactly(sentTerminate("0206c000000ec14fdeadbeef0000000000000000"));
    assertThat(rdmap.peer.events()).containsExactly("full operation", "peer closed");
  }

  @Test
  void shouldHearOfThePeersErrorAloneWhenTheConnectionIsLostNext() {
    rdmap.tcp.setWindow(0);
    rdmap.peer.send(terminate(1, "11010000"));
    rdmap.run();
    rdmap.tcp.cut();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("error 1/1/1", "closed TIMEOUT");
  }

  @Test
  @Tag("RDMAP-5.4-01")
  @Tag("RDMAP-5.4-06")
  void shouldNotLetAProgramSendInsteadOfTheTerminate() {
    int[] posts = {0};
    rdmap.user.onFlushed =
        () -> {
          if (posts[0]++ == 0) {
            stream.postSend(new StreamRequest(9).memory(rdmap.memory.address(), 1));
          }
        };
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(1).memory(rdmap.memory.address(), 1));
    assertThat(rdmap.receive("c140 deadbeef 0000000000000000 01"))
        .containsExactly("send 1 flushed 0", "send 9 flushed 0", "error 1/1/0");
    rdmap.tcp.setWindow(9);
    rdmap.run();
    assertThat(rdmap.sent()).hasSize(1).allMatch(hex -> hex.startsWith("4147"));
  }

  /** What was posted before still waits for the window when the error comes. */
  @Test
  @Tag("RDMAP-6.2-03")
  @Tag("RDMAP-5.4-01")
  void shouldTellThePeerOfAnErrorWhileItsHalfDrains() {
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(1).memory(rdmap.memory.address(), 1));
    stream.close();
    String bad = "c140 deadbeef 0000000000000000 01";
    assertThat(rdmap.receive(bad)).containsExactly("send 1 flushed 0", "error 1/1/0");
    rdmap.tcp.setWindow(9);
    rdmap.run();
    assertThat(rdmap.sent())
        .containsExactly(sentTerminate("1100c000000fc140deadbeef0000000000000000"));
    assertThat(rdmap.peer.events()).containsExactly("full operation", "peer closed");
    stream.postSend(new StreamRequest(2).memory(rdmap.memory.address(), 1));
    assertThat(rdmap.user.events()).containsExactly("send 2 flushed 0");
  }

  @Test
  @Tag("RDMAP-6.2-03")
  void shouldTellThePeerOfAnErrorOfMpaWhileItsHalfDrains() {
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(1).memory(rdmap.memory.address(), 1));
    stream.close();
    LlpFailure.report(stream.ddp(), MpaError.CRC);
    rdmap.tcp.setWindow(9);
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("send 1 flushed 0", "error 2/0/2");
    assertThat(rdmap.sent()).containsExactly(sentTerminate("20020000"));
  }

  @Test
  void shouldSendNoTerminateOnceItsHalfIsClosed() {
    stream.close();
    rdmap.run();
    assertThat(rdmap.receive("c140 deadbeef 0000000000000000 01")).containsExactly("error 1/1/0");
    assertThat(rdmap.sent()).isEmpty();
    assertThat(rdmap.peer.events()).containsExactly("full operation", "peer closed");
  }

  @ParameterizedTest
  @CsvSource({
    "11000300000ac140deadbeef0000000000000000, 1/1/0",
    "02020000, 2/0/2",
    "0206c000000ec14fdeadbeef0000000000000000, 0/2/6",
    "12030000, 1/2/3",
    "99990000, 9/9/153"
  })
  @Tag("RDMAP-4.8-03") // the program gets it
  @Tag("RDMAP-5.4-02") // what is outstanding ends in error
  @Tag("RDMAP-5.4-03") // nothing more is sent
  @Tag("RDMAP-4.1-05") // the queue, or tagged
  @Tag("RDMAP-6.2-04") // a graceful close
  void shouldEndWhenThePeerTerminates(String payload, String error) {
    stream.postReceive(new StreamRequest(1).memory(rdmap.memory.address(), 8));
    rdmap.tcp.setWindow(0);
    stream.postSend(new StreamRequest(2).memory(rdmap.memory.address(), 8));
    assertThat(rdmap.receive(terminate(1, payload)))
        .containsExactly("send 2 flushed 0", "receive 1 flushed 0", "error " + error);
    rdmap.tcp.setWindow(9);
    rdmap.run();
    assertThat(rdmap.sent()).as("a Terminate is not answered by one").isEmpty();
    assertThat(rdmap.peer.events()).containsExactly("full operation", "peer closed");
    rdmap.peer.mpa().closeSend();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("peer closed", "closed NORMAL");
  }

  /** A Terminate contains the header of the refused message; its MSN identifies the read. */
  @ParameterizedTest
  @CsvSource({
    "0102e000, 2, flushed, not allowed, 0/1/2",
    "0102e000, 1, not allowed, flushed, 0/1/2",
    "02070000, 2, flushed, flushed, 0/2/7",
    "0207c000, 2, flushed, not done, 0/2/7",
    "1202c000, 2, flushed, not done, 1/2/2",
    "0102e000, 3, flushed, flushed, 0/1/2",
    "0102e000, 0, flushed, flushed, 0/1/2"
  })
  void shouldEndTheReadThatThePeerRefuses(
      String control, int msn, String first, String second, String error) {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink, 0, 8).remote(77, 0));
    stream.postRead(new StreamRequest(2).local(sink, 8, 8).remote(78, 0));
    rdmap.run();
    String quoted = "002e 4141 00000000 00000001 %08x 00000000".formatted(msn);
    String request = control.contains("e000") ? "00".repeat(28) : "";
    String headers = control.endsWith("0000") ? "" : quoted + request;
    assertThat(rdmap.receive(terminate(1, control + headers)))
        .containsExactly("read 1 " + first + " 0", "read 2 " + second + " 0", "error " + error);
  }

  @Test
  void shouldCountTheReadsThatWereAnsweredBeforeTheRefusedOne() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink, 0, 1).remote(77, 0));
    stream.postRead(new StreamRequest(2).local(sink, 8, 8).remote(78, 0));
    rdmap.run();
    assertThat(rdmap.receive("c142 %08x 0000000000000000 99".formatted(sink)))
        .containsExactly("read 1 done 1");
    String quoted = "002e 4141 00000000 00000001 00000002 00000000" + "00".repeat(28);
    assertThat(rdmap.receive(terminate(1, "0100e000" + quoted)))
        .containsExactly("read 2 not allowed 0", "error 0/1/0");
  }

  @ParameterizedTest
  @CsvSource({"5, 8", "8, 12"})
  @Tag("RDMAP-5.3-06")
  void shouldEndTheReceiveThatIsTooShort(int length, int sent) {
    stream.postReceive(new StreamRequest(1).memory(rdmap.memory.address(), length));
    stream.postReceive(new StreamRequest(2).memory(rdmap.memory.address(), 20));
    String message = "4143 00000000 00000000 00000001 00000000" + "00".repeat(sent);
    assertThat(rdmap.receive(message))
        .containsExactly("receive 1 length error 0", "receive 2 flushed 0", "error 1/2/5");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 110003, 0/2/255",
    "1, 1100c000, 0/2/255",
    "1, 1100c000000ac140deadbeef00000000000000, 0/2/255",
    "2, 11000300, 1/2/2"
  })
  @Tag("RDMAP-4.2-01")
  @Tag("RDMAP-5.4-05")
  void shouldRefuseATerminateThatIsNone(int msn, String payload, String error) {
    assertThat(rdmap.receive(terminate(msn, payload))).containsExactly("error " + error);
  }

  @Test
  @Tag("RDMAP-4.1-04") // the opcode
  @Tag("RDMAP-4.1-06") // the STag to invalidate, or zero
  @Tag("RDMAP-4.1-03") // reserved bits are zero
  @Tag("RDMAP-4.3-01") // no header of RDMAP's
  @Tag("RDMAP-5.3-05") // Sends
  @Tag("RDMAP-5.3-08") // with an STag
  void shouldCarryWhatASendAsksForBesides() {
    long address = rdmap.memory.address();
    stream.postSend(new StreamRequest(1).memory(address, 0));
    stream.postSend(new StreamRequest(2).memory(address, 0).remote(0x0102_0304, 0));
    stream.postSend(new StreamRequest(3).flags(RdmapFlags.SOLICITED).memory(address, 0));
    stream.postSend(
        new StreamRequest(4).flags(RdmapFlags.SOLICITED).memory(address, 0).remote(0x0506_0708, 0));
    rdmap.run();
    assertThat(rdmap.sent())
        .containsExactly(
            "4143" + "00000000" + "00000000" + "00000001" + "00000000",
            "4144" + "01020304" + "00000000" + "00000002" + "00000000",
            "4145" + "00000000" + "00000000" + "00000003" + "00000000",
            "4146" + "05060708" + "00000000" + "00000004" + "00000000");
    assertThat(rdmap.user.events())
        .containsExactly("send 1 done 0", "send 2 done 0", "send 3 done 0", "send 4 done 0");
  }

  private void receives(int count) {
    for (int i = 0; i < count; i++) {
      stream.postReceive(new StreamRequest(i).memory(rdmap.memory.address(), 8));
    }
  }

  @Test
  @Tag("RDMAP-5.3-02")
  @Tag("RDMAP-5.3-04")
  void shouldSayWhatASendAskedForBesides() {
    int first = rdmap.registerForStream(AccessRights.REMOTE_INVALIDATE);
    int second = rdmap.registerForStream(AccessRights.ALL);
    receives(3);
    assertThat(
            rdmap.receive(
                "4144 %08x 00000000 00000001 00000000".formatted(first),
                "4145 00000000 00000000 00000002 00000000",
                "4146 %08x 00000000 00000003 00000000".formatted(second)))
        .containsExactly(
            "receive 0 done 0 invalidated %08x".formatted(first),
            "receive 1 done 0 solicited",
            "receive 2 done 0 solicited invalidated %08x".formatted(second));
    assertThat(rdmap.engine.taggedBuffers().size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {AccessRights.REMOTE_READ, AccessRights.REMOTE_WRITE, AccessRights.REMOTE_ATOMIC})
  @Tag("RDMAP-5.3-03")
  void shouldInvalidateWhateverIsOpenToThisPeerAlone(int right) {
    int stag = rdmap.registerForStream(right | AccessRights.LOCAL_WRITE);
    receives(1);
    assertThat(rdmap.receive("4144 %08x 00000000 00000001 00000000".formatted(stag)))
        .containsExactly("receive 0 done 0 invalidated %08x".formatted(stag));
    assertThat(rdmap.engine.taggedBuffers().lookup(stag)).isNull();
  }

  /** Another stream of the domain may use the shared one; the sink is open to no peer. */
  @ParameterizedTest
  @CsvSource({
    "none,",
    "shared, RDMAP-8.1.1-07",
    "other stream, RDMAP-8.1.1-02",
    "other domain, RDMAP-8.1.1-01",
    "sink,"
  })
  @Tag("RDMAP-5.3-03")
  @Tag("RDMAP-7.1-02")
  void shouldRefuseToInvalidateWhatThePeerMayNot(String which, String clause) {
    int stag =
        switch (which) {
          case "shared" -> rdmap.register(AccessRights.ALL);
          case "other stream" -> rdmap.registerFor(rdmap.anotherStream(), AccessRights.ALL);
          case "other domain" -> rdmap.register(new ProtectionDomain("x"), AccessRights.ALL);
          case "sink" -> rdmap.registerForStream(AccessRights.LOCAL_WRITE | AccessRights.MW_BIND);
          default -> 77;
        };
    int before = rdmap.engine.taggedBuffers().size();
    receives(2);
    String last = "4144 %08x 00000000 00000001 00000002".formatted(stag);
    assertThat(
            rdmap.receive("0144 %08x 00000000 00000001 00000000 0102".formatted(stag), last + "03"))
        .containsExactly("receive 0 flushed 0", "receive 1 flushed 0", "error 0/1/9");
    assertThat(rdmap.engine.taggedBuffers().size()).isEqualTo(before);
    assertThat(rdmap.sent()).containsExactly(sentTerminate("0109 c000 0013" + last));
  }
}
