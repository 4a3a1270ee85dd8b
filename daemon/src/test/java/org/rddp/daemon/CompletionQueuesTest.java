package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Completion;
import org.rddp.client.CompletionQueue;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/** Completions find their connection, and the part of the program that waits for them. */
@Timeout(60)
class CompletionQueuesTest {
  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion source = here.allocate(4096, Access.LOCAL_WRITE);
  private final MemoryRegion sink = there.allocate(4096, Access.LOCAL_WRITE);
  private final Listener listener = there.listen(0);
  private final List<String> seen = new ArrayList<>();

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  /** Opens a connection; the accepting end has the name attached. Returns both ends. */
  private Connection[] connect(String name, Listener at) {
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> at.await(TIMEOUT).accept());
    Connection out =
        here.connect(
            new InetSocketAddress(TestDaemon.ADDRESS_TWO, at.address().getPort()),
            PrivateData.NONE,
            TIMEOUT);
    Connection in = accepted.join();
    in.attach(name);
    return new Connection[] {out, in};
  }

  private void receive(Connection in, int id) {
    assertThat(in.postReceive(id, sink, 64L * id, 64)).isTrue();
  }

  private void send(Connection out, int id) {
    assertThat(out.postSend(id, source, 0, 8)).isTrue();
  }

  private void see(Completion completion) {
    seen.add(
        completion.connection().attachment() + " " + completion.id() + " " + completion.status());
  }

  @Test
  void shouldLeadToTheConnectionAndWhatIsAttachedToIt() {
    Connection[] red = connect("red", listener);
    Connection[] blue = connect("blue", listener);
    receive(red[1], 1);
    receive(blue[1], 2);
    send(blue[0], 1);
    send(red[0], 2);
    TestDaemon.await(
        () -> {
          there.poll(this::see, 16);
          return seen.size() == 2;
        },
        "both messages are there");
    assertThat(seen).containsExactlyInAnyOrder("red 1 SUCCESS", "blue 2 SUCCESS");
  }

  @Test
  void shouldLeaveTheMessagesOfOtherPeersWhenOneConnectionIsDrained() {
    Connection[] leaving = connect("leaving", listener);
    Connection[] staying = connect("staying", listener);
    receive(leaving[1], 1);
    receive(leaving[1], 2);
    receive(staying[1], 3);
    send(staying[0], 1);
    assertThat(ConnectedPrograms.completions(here, 1)).containsExactly("send 1 SUCCESS 8");

    leaving[0].disconnect();
    int drained = leaving[1].closeAndDrain(this::see);

    assertThat(drained).isEqualTo(2);
    assertThat(seen).containsExactly("leaving 1 FLUSHED", "leaving 2 FLUSHED");
    assertThat(leaving[1].receivesOutstanding()).isZero();
    seen.clear();
    assertThat(there.await(Duration.ZERO)).isTrue();
    assertThat(there.await(Duration.ZERO)).as("no signal is left, but a completion").isTrue();
    there.poll(this::see, 16);
    assertThat(seen).containsExactly("staying 3 SUCCESS");
    receive(staying[1], 4);
    send(staying[0], 2);
    assertThat(ConnectedPrograms.completions(there, 1)).containsExactly("receive 4 SUCCESS 8");
  }

  @Test
  void shouldDrainInsideAHandler() {
    Connection[] red = connect("red", listener);
    Connection[] blue = connect("blue", listener);
    receive(red[1], 1);
    receive(red[1], 2);
    receive(blue[1], 3);
    send(red[0], 1);
    red[0].disconnect();
    send(blue[0], 1);
    TestDaemon.await(
        () -> {
          there.poll(
              completion -> {
                see(completion);
                if (completion.id() == 1) {
                  assertThat(completion.connection().closeAndDrain(this::see)).isEqualTo(1);
                }
                assertThat(completion.id()).as("the outer completion is unchanged").isNotEqualTo(2);
              },
              16);
          return seen.size() == 3;
        },
        "all three receives have ended");
    assertThat(seen).containsExactlyInAnyOrder("red 1 SUCCESS", "red 2 FLUSHED", "blue 3 SUCCESS");
  }

  @Test
  void shouldFindTheConnectionOfLateCompletionsWhenItsNumberIsInUseAgain() {
    Connection[] early = connect("early", listener);
    receive(early[1], 1);
    early[0].disconnect();
    early[1].close();
    early[0].close();
    Connection[] late = connect("late", listener);
    assertThat(late[1].id() & 0xfffff).as("the same index").isEqualTo(early[1].id() & 0xfffff);
    receive(late[1], 2);
    send(late[0], 1);
    TestDaemon.await(
        () -> {
          there.poll(this::see, 16);
          return seen.size() == 2;
        },
        "both receives have ended");
    assertThat(seen).containsExactly("early 1 FLUSHED", "late 2 SUCCESS");
    assertThat(early[1].receivesOutstanding()).isZero();
  }

  @Test
  void shouldKeepTheCompletionsOfEachQueueForIt() {
    CompletionQueue own = there.createCompletionQueue();
    ConnectionOptions options = ConnectionOptions.DEFAULTS.withCompletionQueue(own);
    Listener other = there.listen(new InetSocketAddress(0), 8, options);
    Connection[] main = connect("main", listener);
    Connection[] separate = connect("separate", other);
    receive(main[1], 1);
    receive(separate[1], 2);
    receive(separate[1], 3);
    send(separate[0], 1);
    send(separate[0], 2);
    send(main[0], 1);
    TestDaemon.await(() -> there.poll(this::see, 16) == 1, "the main queue's message is there");
    assertThat(seen).containsExactly("main 1 SUCCESS");
    assertThat(separate[1].receivesOutstanding()).as("not polled yet").isEqualTo(2);
    seen.clear();
    TestDaemon.await(
        () -> {
          own.poll(this::see, 1);
          return seen.size() == 2;
        },
        "the other queue's messages are there");
    assertThat(seen).containsExactly("separate 2 SUCCESS", "separate 3 SUCCESS");
    assertThat(separate[1].receivesOutstanding()).isZero();
    TestDaemon.await(() -> !there.await(Duration.ZERO), "signals have been taken, nothing is kept");
  }

  @Test
  void shouldRefuseAQueueOfAnotherSession() {
    ConnectionOptions options =
        ConnectionOptions.DEFAULTS.withCompletionQueue(here.createCompletionQueue());
    assertThatThrownBy(() -> there.listen(new InetSocketAddress(0), 8, options))
        .hasMessage("the completion queue belongs to another session");
  }
}
