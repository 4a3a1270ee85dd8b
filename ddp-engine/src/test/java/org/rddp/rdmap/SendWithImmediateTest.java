package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.StreamRequest;

/** Sends with immediate data, on which both ends have agreed, or have not. */
class SendWithImmediateTest {
  private static final String MESSAGE = "%s 12345678 00000000 %08x 00000000 0a0b0c";

  private final RdmapFixture rdmap = new RdmapFixture();

  private StreamRequest request(long token) {
    return new StreamRequest(token).memory(rdmap.memory.address(), 3).immediate(0x12345678);
  }

  @Test
  void shouldSendTheNumberInThePlaceOfTheStag() {
    rdmap.stream.allowSendWithImmediate();
    rdmap.memory.put(0, new byte[] {10, 11, 12});
    assertThat(rdmap.stream.postSendWithImmediate(request(1))).isTrue();
    assertThat(rdmap.stream.postSendWithImmediate(request(2).flags(RdmapFlags.SOLICITED))).isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("send 1 done 3", "send 2 done 3");
    assertThat(rdmap.sent())
        .containsExactly(
            MESSAGE.formatted("414c", 1).replace(" ", ""),
            MESSAGE.formatted("414d", 2).replace(" ", ""));
  }

  @Test
  void shouldReceiveTheNumberWithTheMessage() {
    rdmap.stream.allowSendWithImmediate();
    rdmap.stream.postReceive(new StreamRequest(1).memory(rdmap.memory.address(), 3));
    rdmap.stream.postReceive(new StreamRequest(2).memory(rdmap.memory.address(), 64));
    assertThat(rdmap.receive(MESSAGE.formatted("414c", 1), MESSAGE.formatted("414d", 2)))
        .containsExactly(
            "receive 1 done 3 data 12345678", "receive 2 done 3 data 12345678 solicited");
    assertThat(rdmap.memory.octets()).startsWith(10, 11, 12);
  }

  @Test
  @Tag("RDMAP-7.2-02")
  void shouldRefuseItFromAPeerThatHasNotAgreed() {
    rdmap.stream.postReceive(new StreamRequest(1).memory(rdmap.memory.address(), 64));
    assertThat(rdmap.receive(MESSAGE.formatted("414c", 1)))
        .containsExactly("receive 1 flushed 0", "error 0/2/6");
    rdmap.memory.assertUntouched();
  }

  @Test
  void shouldSendNoneToAPeerThatHasNotAgreed() {
    assertThat(rdmap.stream.postSendWithImmediate(request(1))).isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("send 1 not supported 0");
    assertThat(rdmap.sent()).isEmpty();
  }
}
