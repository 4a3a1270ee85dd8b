package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls from within upcalls, and handlers that throw. */
class HandlerTest {
  /** Throws, or aborts, at one of its upcalls. */
  private static final class Troubled extends Recorder {
    private final String where;
    private final boolean throwing;

    Troubled(String where, boolean throwing) {
      this.where = where;
      this.throwing = throwing;
    }

    private void at(String upcall) {
      if (upcall.equals(where)) {
        if (throwing) {
          throw new IllegalStateException(where);
        }
        stream.abort();
      }
    }

    @Override
    public void onOpen(TcpStream opened) {
      super.onOpen(opened);
      at("open");
    }

    @Override
    public void onSegment(long position, long address, int length, long packet) {
      super.onSegment(position, address, length, packet);
      at("segment");
    }

    @Override
    public void onLeftEdge(long position) {
      super.onLeftEdge(position);
      at("edge");
    }

    @Override
    public void onSendable() {
      super.onSendable();
      at("sendable");
    }

    @Override
    public void onAlarm(long now) {
      super.onAlarm(now);
      at("alarm");
    }

    @Override
    public void onPeerClosed() {
      super.onPeerClosed();
      at("peer closed");
    }
  }

  private static List<Throwable> live(Script script, Troubled troubled) {
    List<Throwable> failures = new ArrayList<>();
    script.stack.reportFailuresTo(failures::add);
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return troubled;
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1 win 0");
    if (!((TcpConnection) script.stream).state().open()) {
      return failures;
    }
    script.stream.sendable();
    script.stream.alarm(script.now + 5);
    script.pass(5);
    script.receive(". seq 1 ack 1 win 65535");
    script.receive(". seq 201 ack 1 len 100");
    script.receiveTogether(". seq 1 ack 1 len 100", ". seq 101 ack 1 len 100");
    script.receive("F. seq 301 ack 1");
    return failures;
  }

  private static String expected(String where) {
    return switch (where) {
      case "segment" -> "201+100";
      case "edge" -> "edge 301";
      default -> where;
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"open", "segment", "edge", "sendable", "alarm", "peer closed"})
  void shouldFailOnlyTheConnectionWhoseHandlerThrows(String where) {
    Script script = new Script();
    Troubled troubled = new Troubled(where, true);
    List<Throwable> failures = live(script, troubled);
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).hasMessage(where);
    assertThat(troubled.events).endsWith("closed ABORTED").contains(expected(where));
    assertThat(script.stack.counters().handlerFailures).isEqualTo(1);
    assertThat(script.stack.counters().resetsOut).isPositive();
    assertThat(script.stack.connections()).isZero();
    script.turn();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
    script.drain();
    script.theirPort++;
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"open", "segment", "edge", "sendable", "alarm", "peer closed"})
  void shouldAllowAbortFromEveryUpcall(String where) {
    Script script = new Script();
    Troubled troubled = new Troubled(where, false);
    assertThat(live(script, troubled)).isEmpty();
    assertThat(troubled.events.stream().filter("closed ABORTED"::equals)).hasSize(1);
    assertThat(troubled.events).endsWith("closed ABORTED");
    script.turn();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  /** The segment fills a gap: what lay behind that is no more for the handler that passed it on. */
  @Test
  void shouldCallTheHandlerThatAConnectionIsPassedOnTo() {
    Script script = new Script();
    Recorder second = new Recorder();
    Recorder first =
        new Recorder() {
          @Override
          public void onSegment(long position, long address, int length, long packet) {
            super.onSegment(position, address, length, packet);
            if (position == 0) {
              script.stream.handler(second);
            }
          }
        };
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return first;
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.receive(". seq 201 ack 1 len 100");
    script.receive(". seq 1 ack 1 len 200");
    script.receive("F. seq 301 ack 1");
    script.stream.abort();
    script.stream.handler(first);
    assertThat(first.events).containsExactly("open", "201+100", "1+200");
    assertThat(second.events).containsExactly("edge 301", "peer closed", "closed ABORTED");
  }

  @Test
  void shouldEndAConnectionWhoseHandlerThrowsAtThePeersFinBehindOurs() {
    Script script = new Script();
    Troubled troubled = new Troubled("peer closed", true);
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return troubled;
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.receive(". seq 1 ack 2");
    script.receive("F. seq 1 ack 2");
    script.pass(60 * Script.SECOND);
    assertThat(troubled.takeEvents()).containsExactly("open", "peer closed", "closed ABORTED");
    assertThat(script.stack.connections()).isZero();
    assertThat(script.stack.nextDeadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldLiveThroughAWholeConnectionWithoutTrouble() {
    Script script = new Script();
    Troubled untroubled = new Troubled("never", true);
    assertThat(live(script, untroubled)).isEmpty();
    assertThat(untroubled.events)
        .containsExactly(
            "open", "alarm", "sendable", "201+100", "1+100", "101+100", "edge 301", "peer closed");
  }

  @Test
  void shouldResetAConnectionWhoseAcceptorThrows() {
    Script script = new Script();
    script.listen((stream, address, port) -> {
      throw new IllegalStateException("acceptor");
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.expect("R. seq 1 ack 1");
    assertThat(script.stack.counters().handlerFailures).isEqualTo(1);
  }

  @Test
  void shouldReportTheHandlerOfAConnectionThatTheAcceptorAborted() {
    Script script = new Script();
    script.listen((stream, address, port) -> {
      stream.abort();
      return script.handler;
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("closed ABORTED");
  }

  @Test
  void shouldRingTheAlarmOnceAndNotAfterItIsPutOff() {
    Script script = Script.established();
    script.stream.alarm(script.now + 100);
    script.stream.alarm(script.now + 200);
    script.pass(150);
    assertThat(script.handler.takeEvents()).isEmpty();
    script.pass(50);
    assertThat(script.handler.takeEvents()).containsExactly("alarm");
    script.pass(1000);
    script.stream.alarm(script.now + 10);
    script.stream.alarm(Long.MAX_VALUE);
    script.pass(1000);
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldAnswerFromWithinAnUpcall() {
    Script script = new Script();
    Recorder echo =
        new Recorder() {
          @Override
          public void onSegment(long position, long address, int length, long packet) {
            script.queue(length);
          }
        };
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return echo;
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receiveTogether(". seq 1 ack 1", ". seq 1 ack 1 len 10", ". seq 11 ack 1 len 20");
    script.expect("P. seq 1 ack 11 len 10");
    script.expect("P. seq 11 ack 31 len 20");
    script.expectNothing();
  }
}
