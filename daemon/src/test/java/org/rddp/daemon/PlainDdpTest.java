package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.DdpQueues;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.ScatterList;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;

/** Plain DDP between two programs, over a whole daemon. */
@Timeout(60)
class PlainDdpTest {
  private static final int PORT = 7471;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);
  private static final int SIGNALLED = SendFlags.SIGNALLED;
  private static final int LENGTH = 1 << 16;

  private final List<String> hereSaw = new ArrayList<>();
  private final List<String> thereSaw = new ArrayList<>();
  private TestDaemon daemon;
  private Rddp here;
  private Rddp there;
  private MemoryRegion hereMemory;
  private MemoryRegion thereMemory;
  private Connection near;
  private Connection far;

  @BeforeEach
  void open() {
    daemon = new TestDaemon();
    here = daemon.connect("one");
    there = daemon.connect("two");
    hereMemory = here.allocate(8 * LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    thereMemory = there.allocate(8 * LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private void connect(ConnectionOptions options) {
    Listener listener = there.listen(new InetSocketAddress(PORT), 8, options);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    near = here.connect(TWO, PrivateData.NONE, TIMEOUT, options);
    far = accepted.join();
    listener.close();
  }

  private static String describe(Completion completion) {
    String what = completion.id() + " " + completion.status() + " " + completion.octets();
    return switch (completion.opcode()) {
      case Opcode.RECEIVE_UNTAGGED ->
          "%s QN %d MSN %d ULP %x"
              .formatted(what, completion.qn(), completion.msn(), completion.rsvdUlp());
      case Opcode.TAGGED_NOTICE ->
          "%s STag %08x TO %d ULP %x"
              .formatted(what, completion.stag(), completion.to(), completion.rsvdUlp());
      default -> what;
    };
  }

  private void await(int fromHere, int fromThere) {
    TestDaemon.await(
        () -> {
          here.poll(completion -> hereSaw.add(describe(completion)), 16);
          there.poll(completion -> thereSaw.add(describe(completion)), 16);
          return hereSaw.size() >= fromHere && thereSaw.size() >= fromThere;
        },
        fromHere + " completions have come here, " + fromThere + " there");
  }

  @Test
  void shouldSeparateQueuesAndTransferRsvdUlp() {
    connect(ConnectionOptions.plainDdp(4, 4, 1).withTaggedNotices(2));
    DdpQueues ours = near.ddp();
    DdpQueues theirs = far.ddp();
    assertThat(theirs.count()).isEqualTo(3);
    assertThat(theirs.postReceive(2, 1, thereMemory, 0, LENGTH)).isTrue();
    assertThat(theirs.postReceive(0, 2, thereMemory, LENGTH, LENGTH)).isTrue();
    assertThat(theirs.postReceive(1, 3, thereMemory, 2 * LENGTH, LENGTH)).isTrue();
    assertThat(theirs.postReceive(0, 4, thereMemory, 3 * LENGTH, LENGTH)).isTrue();
    assertThat(theirs.postTaggedNotice(5)).isTrue();
    assertThat(ours.postReceive(1, 6, hereMemory, LENGTH, LENGTH)).isTrue();
    assertThat(ours.postTaggedNotice(7)).isTrue();
    for (int i = 0; i < LENGTH; i++) {
      hereMemory.segment().set(ValueLayout.JAVA_BYTE, i, (byte) ((i * 31) >> 3));
    }

    assertThat(ours.postUntagged(0, 11, hereMemory, 0, 5000, 0xa0_0000_0001L, SIGNALLED)).isTrue();
    assertThat(ours.postUntagged(1, 12, hereMemory, 0, LENGTH, 0xff_ffff_ffffL, SIGNALLED))
        .isTrue();
    ScatterList list = new ScatterList().add(hereMemory, 100, 10).add(hereMemory, 0, 3000);
    assertThat(ours.postUntagged(0, 13, list, 3, 0)).isTrue();
    int stag = thereMemory.stag();
    assertThat(ours.postTagged(14, hereMemory, 0, 4000, stag, 4 * LENGTH, 0xe7, 0)).isTrue();
    assertThat(ours.postInlineUntagged(2, 15, hereMemory.segment(), 0, 100, 5, SIGNALLED)).isTrue();
    await(3, 5);
    assertThat(
            theirs.postInlineTagged(
                16, thereMemory.segment(), 0, 9, hereMemory.stag(), 5 * LENGTH, 1, SIGNALLED))
        .isTrue();
    assertThat(theirs.postUntagged(1, 17, thereMemory, 0, 0, 0x77, SIGNALLED)).isTrue();
    await(5, 7);

    assertThat(hereSaw)
        .containsExactly(
            "11 SUCCESS 5000",
            "12 SUCCESS 65536",
            "15 SUCCESS 100",
            "7 SUCCESS 9 STag %08x TO %d ULP 1".formatted(hereMemory.stag(), 5 * LENGTH),
            "6 SUCCESS 0 QN 1 MSN 1 ULP 77");
    assertThat(thereSaw.subList(0, 3))
        .containsExactly(
            "2 SUCCESS 5000 QN 0 MSN 1 ULP a000000001",
            "3 SUCCESS 65536 QN 1 MSN 1 ULP ffffffffff",
            "4 SUCCESS 3010 QN 0 MSN 2 ULP 3");
    assertThat(thereSaw.get(3)).startsWith("5 SUCCESS ").endsWith(" ULP e7");
    assertThat(thereSaw.subList(4, 7))
        .containsExactly("1 SUCCESS 100 QN 2 MSN 1 ULP 5", "16 SUCCESS 9", "17 SUCCESS 0");
    assertSame(thereMemory, LENGTH, 0, 5000);
    assertSame(thereMemory, 2 * LENGTH, 0, LENGTH);
    assertSame(thereMemory, 3 * LENGTH, 100, 10);
    assertSame(thereMemory, 3 * LENGTH + 10, 0, 3000);
    assertSame(thereMemory, 4 * LENGTH, 0, 4000);
    assertThat(ours.receivesOutstanding(1) + ours.noticesOutstanding()).isZero();
    assertThat(near.sendsOutstanding() + far.sendsOutstanding()).isZero();
  }

  private void assertSame(MemoryRegion sink, long offset, long source, long octets) {
    assertThat(
            sink.segment()
                .asSlice(offset, octets)
                .mismatch(hereMemory.segment().asSlice(source, octets)))
        .isEqualTo(-1);
  }

  /** Each message uses the receives of its own queue. */
  @Test
  void shouldKeepTheOrderWithinEachQueue() {
    int queues = 16;
    int messages = 600;
    int[] depths = new int[queues];
    Arrays.fill(depths, 8);
    connect(ConnectionOptions.plainDdp(depths).withHeldOctets(1 << 20));
    SplittableRandom random = new SplittableRandom(7);
    int[] sentOn = new int[queues];
    int[] heardOn = new int[queues];
    List<Integer> order = new ArrayList<>();
    int[] sent = new int[1];
    int[] heard = new int[1];
    int[] full = new int[1];
    TestDaemon.await(
        () -> {
          int qn = random.nextInt(queues);
          int octets = random.nextInt(3000);
          if (sent[0] < messages
              && near.ddp()
                  .postUntagged(qn, 0, hereMemory, 0, octets, ++sentOn[qn] << 8 | qn, SIGNALLED)) {
            sent[0]++;
            order.add(qn);
          } else if (sent[0] < messages) {
            sentOn[qn]--;
          }
          int posted = random.nextInt(queues);
          if (!far.ddp().postReceive(posted, 0, thereMemory, (long) posted * 4096, 4096)) {
            full[0]++; // there is room in another turn
          }
          here.poll(completion -> assertThat(completion.isSuccess()).isTrue(), 16);
          there.poll(
              completion -> {
                assertThat(completion.isSuccess()).isTrue();
                int on = completion.qn();
                assertThat(on).isEqualTo(order.get(heard[0]++));
                assertThat(completion.msn()).isEqualTo(++heardOn[on]);
                assertThat(completion.rsvdUlp()).isEqualTo(heardOn[on] << 8 | on);
              },
              16);
          return heard[0] == messages;
        },
        "all messages are there");
    assertThat(near.streamError()).as("%d posts found a full queue", full[0]).isNull();
  }

  @Test
  void shouldReportTheErrorAndAllowOneLastMessage() {
    connect(ConnectionOptions.plainDdp(2, 2));
    assertThat(near.ddp().postReceive(1, 1, hereMemory, 0, 100)).isTrue();
    assertThat(far.ddp().postReceive(0, 2, thereMemory, 0, 100)).isTrue();
    assertThat(far.ddp().postReceive(1, 3, thereMemory, 0, 100)).isTrue();
    assertThat(near.ddp().postUntagged(0, 4, hereMemory, 0, 101, 0x12_3456_789aL, SIGNALLED))
        .isTrue();
    TestDaemon.await(() -> far.streamError() != null, "the sink knows");

    assertThat(far.streamError().reason()).isEqualTo(Reason.DDP_ERROR);
    assertThat(far.streamError().type()).isEqualTo(2);
    assertThat(far.streamError().code()).isEqualTo(5);
    assertThat(far.streamError().segmentOctets()).isEqualTo(119);
    assertThat(HexFormat.of().formatHex(far.streamError().header()))
        .isEqualTo("41123456789a" + "00000000" + "00000001" + "00000000");
    assertThat(far.streamError().toString()).contains("message too long", "41123456789a");
    assertThat(far.isOpen()).isFalse();
    assertThat(far.closeReason()).isNull();
    assertThat(near.isOpen()).as("DDP does not notify the peer").isTrue();

    assertThat(far.ddp().postInlineUntagged(1, 5, thereMemory.segment(), 0, 4, 0xdd, SIGNALLED))
        .isTrue();
    await(2, 3);
    assertThat(thereSaw)
        .containsExactly(
            "2 LOCAL_LENGTH_ERROR 0 QN 0 MSN 0 ULP 0",
            "3 FLUSHED 0 QN 1 MSN 0 ULP 0",
            "5 SUCCESS 4");
    assertThat(hereSaw).containsExactly("4 SUCCESS 101", "1 SUCCESS 4 QN 1 MSN 1 ULP dd");
    far.disconnect();
    TestDaemon.await(near::isPeerClosed, "the end comes behind the last word");
    near.close();
    assertThat(far.awaitClosed(TIMEOUT)).isTrue();
    assertThat(far.closeReason()).isEqualTo(Reason.DDP_ERROR);
    assertThat(near.closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
  }

  @Test
  void shouldReportAnUnknownQueue() {
    ConnectionOptions three = ConnectionOptions.plainDdp(1, 1, 1);
    Listener listener = there.listen(new InetSocketAddress(PORT), 8, ConnectionOptions.plainDdp(1));
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    near = here.connect(TWO, PrivateData.NONE, TIMEOUT, three);
    far = accepted.join();
    assertThat(near.ddp().postUntagged(2, 1, hereMemory, 0, 1, 0, 0)).isTrue();
    TestDaemon.await(() -> far.streamError() != null, "the sink knows");
    assertThat(far.streamError().type()).isEqualTo(2);
    assertThat(far.streamError().code()).isEqualTo(1);
    far.abort();
    TestDaemon.await(() -> near.closeReason() != null, "the reset arrives");
    assertThat(near.closeReason()).isEqualTo(Reason.RESET);
    assertThat(near.streamError().reason()).isEqualTo(Reason.MPA_ERROR);
    assertThat(near.streamError().type()).isEqualTo(3);
    assertThat(near.streamError().header()).isEmpty();
  }

  @Test
  void shouldKeepAMessageUntilAReceiveIsPosted() {
    connect(ConnectionOptions.plainDdp(1, 1).withHeldOctets(1 << 20));
    assertThat(near.ddp().postUntagged(1, 1, hereMemory, 0, 3000, 9, SIGNALLED)).isTrue();
    await(1, 0);
    assertThat(far.ddp().postReceive(0, 2, thereMemory, 0, LENGTH)).isTrue();
    assertThat(far.ddp().postReceive(1, 3, thereMemory, 0, LENGTH)).isTrue();
    await(1, 1);
    assertThat(thereSaw).containsExactly("3 SUCCESS 3000 QN 1 MSN 1 ULP 9");
  }

  @Test
  void shouldCloseEachDirection() {
    connect(ConnectionOptions.plainDdp(2));
    assertThat(far.ddp().postReceive(0, 1, thereMemory, 0, LENGTH)).isTrue();
    assertThat(near.ddp().postReceive(0, 2, hereMemory, 0, LENGTH)).isTrue();
    assertThat(near.ddp().postUntagged(0, 3, hereMemory, 0, LENGTH, 1, 0)).isTrue();
    near.disconnect();
    TestDaemon.await(far::isPeerClosed, "the half is closed");
    assertThat(near.ddp().postUntagged(0, 4, hereMemory, 0, 1, 1, 0)).isTrue();
    assertThat(far.ddp().postUntagged(0, 5, thereMemory, 0, LENGTH, 2, SIGNALLED)).isTrue();
    await(2, 2);
    far.disconnect();
    assertThat(near.awaitClosed(TIMEOUT)).isTrue();

    assertThat(thereSaw).containsExactly("1 SUCCESS 65536 QN 0 MSN 1 ULP 1", "5 SUCCESS 65536");
    assertThat(hereSaw).contains("4 FLUSHED 0", "2 SUCCESS 65536 QN 0 MSN 1 ULP 2");
    assertThat(near.closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
  }

  @Test
  void shouldRejectInvalidPosts() {
    connect(ConnectionOptions.plainDdp(1, 2).withTaggedNotices(1));
    DdpQueues ddp = near.ddp();
    MemoryRegion source = here.allocate(64);
    refuses(
        "no queue 2; the connection's options have 0 to 1",
        () -> ddp.postReceive(2, 1, hereMemory, 0, 1));
    refuses("queue -1", () -> ddp.postUntagged(-1, 1, hereMemory, 0, 1, 0, 0));
    refuses("needs a region with LOCAL_WRITE", () -> ddp.postReceive(0, 1, source, 0, 1));
    refuses("RsvdULP", () -> ddp.postUntagged(0, 1, source, 0, 1, 1L << 40, 0));
    refuses("RsvdULP", () -> ddp.postTagged(1, source, 0, 1, 1, 0, 256, 0));
    refuses("no flag FENCED", () -> ddp.postTagged(1, source, 0, 1, 1, 0, 255, SendFlags.FENCED));
    refuses(
        "inline message of 200 octets",
        () -> ddp.postInlineUntagged(0, 1, hereMemory.segment(), 0, 200, 0, 0));
    assertThat(ddp.postReceive(0, 1, hereMemory, 0, 1)).isTrue();
    assertThat(ddp.postReceive(0, 2, hereMemory, 0, 1)).as("the queue is full").isFalse();
    assertThat(ddp.postTaggedNotice(3)).isTrue();
    assertThat(ddp.postTaggedNotice(4)).isFalse();
    assertThatThrownBy(() -> near.postSend(1, hereMemory, 0, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("plain DDP");
    assertThatThrownBy(() -> near.postReceive(1, hereMemory, 0, 1))
        .isInstanceOf(IllegalStateException.class);
    far.disconnect();
    near.close();
    assertThat(ddp.postReceive(1, 77, hereMemory, 0, 1)).isTrue();
    TestDaemon.await(
        () -> {
          here.poll(completion -> hereSaw.add(describe(completion)), 16);
          return hereSaw.stream()
              .anyMatch(line -> line.matches("77 (FLUSHED|LOCAL_OPERATION_ERROR) .*"));
        },
        "a receive posted after the end has failed");
  }

  private static void refuses(String why, ThrowingCallable post) {
    assertThatThrownBy(post).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(why);
  }

  @Test
  void shouldHaveNoQueuesWithRdmap() {
    connect(ConnectionOptions.DEFAULTS);
    assertThatThrownBy(near::ddp)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("RDMAP");
    assertThat(near.streamError()).isNull();
  }

  @Test
  void shouldRejectInvalidOptions() {
    assertThatThrownBy(ConnectionOptions::plainDdp).isInstanceOf(IllegalArgumentException.class);
    refuses("holds 0 receives", () -> ConnectionOptions.plainDdp(1, 0));
    refuses("257 queues", () -> ConnectionOptions.plainDdp(new int[257]));
    refuses("notices", () -> ConnectionOptions.DEFAULTS.withTaggedNotices(1));
    refuses("notices", () -> ConnectionOptions.plainDdp(1).withTaggedNotices(-1));
    ConnectionOptions deep = ConnectionOptions.plainDdp(200, 57);
    assertThatThrownBy(() -> there.listen(new InetSocketAddress(PORT), 8, deep))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("257 receives in the queues");
  }
}
