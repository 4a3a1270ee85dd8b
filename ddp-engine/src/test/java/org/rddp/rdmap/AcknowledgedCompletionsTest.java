package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.mpa.MpaSettings;

/** A stream whose sends and writes complete when they are acknowledged. */
class AcknowledgedCompletionsTest {
  private static final RdmapSettings SETTINGS =
      new RdmapSettings(
              MpaSettings.DEFAULTS, RdmapFixture.SEND_DEPTH, 8, RdmapFixture.IRD, RdmapFixture.ORD)
          .withAcknowledged(true);

  private final RdmapFixture rdmap = new RdmapFixture(SETTINGS);

  @BeforeEach
  void holdAcknowledgments() {
    rdmap.tcp.holdAcknowledgments(true);
  }

  private StreamRequest request(long token) {
    return new StreamRequest(token).memory(rdmap.memory.address(), 4).remote(0xcafe, 0);
  }

  private void postSendAndWrites() {
    assertThat(rdmap.stream.postSend(request(1).remote(0, 0))).isTrue();
    assertThat(rdmap.stream.postWrite(request(2))).isTrue();
    assertThat(rdmap.stream.postWriteImmediate(request(3).immediate(9))).isTrue();
    rdmap.run();
    assertThat(rdmap.sent()).hasSize(4);
  }

  @Test
  @Tag("RDMAP-5.5-02")
  void shouldCompleteSendsAndWritesWhenTheyAreAcknowledged() {
    postSendAndWrites();
    assertThat(rdmap.user.events()).isEmpty();
    rdmap.tcp.holdAcknowledgments(false);
    assertThat(rdmap.user.events())
        .containsExactly("send 1 done 4", "write 2 done 4", "write 3 done 4");
    assertThat(rdmap.stream.postSend(request(4).remote(0, 0))).isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("send 4 done 4");
  }

  @Test
  @Tag("RDMAP-5.5-02")
  void shouldCompleteAReadInItsTurn() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    rdmap.stream.postWrite(request(1));
    rdmap.stream.postRead(new StreamRequest(2).remote(0xcafe, 0).local(sink, 0, 3));
    rdmap.run();
    assertThat(rdmap.receive("c142 %08x 0000000000000000 010203".formatted(sink))).isEmpty();
    rdmap.tcp.holdAcknowledgments(false);
    assertThat(rdmap.user.events()).containsExactly("write 1 done 4", "read 2 done 3");
  }

  @Test
  @Tag("RDMAP-5.4-02")
  void shouldFlushWhatIsNotAcknowledgedWhenThePeerEndsTheStream() {
    postSendAndWrites();
    assertThat(rdmap.receive("4147 00000000 00000002 00000001 00000000 1100 0000"))
        .startsWith("send 1 flushed 0", "write 2 flushed 0", "write 3 flushed 0");
    rdmap.tcp.holdAcknowledgments(false);
    rdmap.run();
    assertThat(rdmap.user.events()).noneMatch(event -> event.contains("done"));
  }

  /** Those before it are there, since the peer takes messages in their order. */
  @ParameterizedTest
  @CsvSource({
    "1205c000 0030 4143 00000000 00000000 00000001 00000000, not done, flushed, flushed",
    "1100c000 002e c140 0000cafe 0000000000000002, done, not allowed, flushed",
    "0109c000 0030 4148 00000000 00000000 00000002 00000000, done, done, not allowed",
    "0000 0000, not done, flushed, flushed",
    "1000 0000, not done, flushed, flushed",
    "2002 0000, flushed, flushed, flushed",
    "1100c000 002e c140 0000cafe 0000000000000004, flushed, flushed, flushed",
    "1100c000 002e c140 0000caff 0000000000000000, flushed, flushed, flushed",
    "1205c000 0030 4143 00000000 00000000 00000003 00000000, flushed, flushed, flushed"
  })
  void shouldSayWhichMessageThePeerHasRefused(
      String terminate, String first, String second, String third) {
    postSendAndWrites();
    List<String> events =
        rdmap.receive("4147 00000000 00000002 00000001 00000000 " + terminate).stream()
            .limit(3)
            .toList();
    assertThat(events.stream().map(event -> event.replaceAll(" [04]$", "")))
        .containsExactly("send 1 " + first, "write 2 " + second, "write 3 " + third);
    rdmap.tcp.holdAcknowledgments(false);
    assertThat(rdmap.user.events()).noneMatch(event -> event.contains("done"));
  }

  @Test
  void shouldSayThatTheTaggedPartBeforeANumberIsRefused() {
    assertThat(rdmap.stream.postWriteImmediate(request(1).immediate(9))).isTrue();
    rdmap.run();
    String named = "1100c000 002e c140 0000cafe 0000000000000000";
    assertThat(rdmap.receive("4147 00000000 00000002 00000001 00000000 " + named))
        .startsWith("write 1 not allowed 0");
  }

  @Test
  void shouldSayThatAMessageIsRefusedOfWhichAPartHasBeenSent() {
    rdmap.tcp.setWindow(2);
    assertThat(rdmap.stream.postWrite(request(1))).isTrue();
    StreamRequest longer = new StreamRequest(2).memory(rdmap.memory.address(), 8000);
    assertThat(rdmap.stream.postWrite(longer.remote(0xbeef, 0))).isTrue();
    assertThat(rdmap.stream.postWrite(request(3))).isTrue();
    rdmap.engine.send(2);
    String named = "1100c000 05a0 8140 0000beef 0000000000000000";
    assertThat(rdmap.receive("4147 00000000 00000002 00000001 00000000 " + named))
        .startsWith("write 1 done 4", "write 2 not allowed 0", "write 3 flushed 0");
  }

  @Test
  void shouldCompleteTheMessagesBeforeAReadThatThePeerHasRefused() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    rdmap.stream.postWrite(request(1));
    rdmap.stream.postRead(new StreamRequest(2).remote(0xcafe, 0).local(sink, 0, 3));
    rdmap.run();
    String named = "0100e000 002e 4141 00000000 00000001 00000001 00000000" + "00".repeat(28);
    assertThat(rdmap.receive("4147 00000000 00000002 00000001 00000000 " + named))
        .startsWith("write 1 done 4", "read 2 not allowed 0");
  }

  @Test
  void shouldFlushWhatIsNotAcknowledgedWhenTheConnectionIsLost() {
    postSendAndWrites();
    rdmap.tcp.cut();
    assertThat(rdmap.user.events())
        .startsWith("send 1 flushed 0", "write 2 flushed 0", "write 3 flushed 0");
  }

  @Test
  void shouldFlushWhatIsNotAcknowledgedWhenTheUserAborts() {
    postSendAndWrites();
    rdmap.stream.abort();
    assertThat(rdmap.user.events())
        .startsWith("send 1 flushed 0", "write 2 flushed 0", "write 3 flushed 0");
  }

  @Test
  void shouldSendAndAwaitAcknowledgmentsBeforeAGracefulClose() {
    rdmap.stream.postWrite(request(1));
    rdmap.stream.close();
    rdmap.run();
    assertThat(rdmap.sent()).hasSize(1);
    assertThat(rdmap.user.events()).isEmpty();
    rdmap.tcp.holdAcknowledgments(false);
    assertThat(rdmap.user.events()).containsExactly("write 1 done 4");
  }
}
