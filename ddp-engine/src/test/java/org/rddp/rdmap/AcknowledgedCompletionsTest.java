package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
