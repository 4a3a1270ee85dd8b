package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.rddp.snapshot.DamagedSnapshot;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;

/**
 * A stack goes on from the snapshot of another one, and from the one that is kept among the test's
 * resources; from none that is damaged. {@code -Drddp.snapshot.write=true} writes the kept one
 * anew: only with another {@link Snapshot#FORMAT}.
 */
class StackSnapshotTest {
  private static final Path KEPT =
      Path.of("src/test/resources/org/rddp/tcp/snapshot-" + Snapshot.FORMAT + ".bin");

  /** A connection with SACK: 1,000 octets lost, 2,000 selectively acknowledged, one range early. */
  private static Script inTheMiddle() {
    Script script = SackGenerationTest.selective();
    script.listen();
    script.ourPort = ((TcpConnection) script.stream).localPort();
    script.theirPort = 7;
    script.send(1000);
    script.send(1000);
    script.send(1000);
    script.drain();
    script.receive(". seq 101 ack 1 len 100 sack 1001-3001");
    script.drain();
    script.handler.takeEvents();
    return script;
  }

  /** What must follow, whichever stack goes on. */
  private static void end(Script script) {
    script.pass(2 * Script.SECOND);
    script.expect(". seq 1 ack 1 len 1000");
    script.receive(". seq 1 ack 3001 len 100");
    script.expect(". seq 3001 ack 201 sack -");
    assertThat(script.handler.takeEvents()).contains("1+100", "edge 201");
    assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
    script.stack.close();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  void shouldGoOnInTheMiddle() {
    Script script = inTheMiddle();
    script.goOn(script.snapshot());
    end(script);
  }

  @Test
  void shouldUseNoStackThatIsRetired() {
    Script script = inTheMiddle();
    TcpStream former = script.stream;
    script.goOn(script.snapshot());
    assertThatThrownBy(former::sendable).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(former::abort).isInstanceOf(NullPointerException.class);
    script.turn();
    script.expectNothing();
    end(script);
  }

  @Test
  void shouldReadTheFormatThatItWrote() throws IOException {
    Script script = inTheMiddle();
    if (Boolean.getBoolean("rddp.snapshot.write")) {
      Files.write(KEPT, script.snapshot());
    }
    script.goOn(Files.readAllBytes(KEPT));
    end(script);
  }

  @Test
  void shouldRefuseAnotherClock() {
    Script script = inTheMiddle();
    byte[] snapshot = script.snapshot();
    script.now -= Script.SECOND;
    assertThatThrownBy(() -> script.goOn(snapshot))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("in StackContext of TcpStack: it is from a later time");
  }

  @Test
  void shouldRefuseWhatIsDamagedWithoutLosingPackets() throws IOException {
    byte[] snapshot = Files.readAllBytes(KEPT);
    Script script = new Script();
    int refused = 0;
    for (int at = DamagedSnapshot.BODY; at < snapshot.length; at++) {
      byte[] damaged = DamagedSnapshot.at(snapshot, at);
      try {
        script.goOn(damaged);
      } catch (SnapshotException wrong) {
        assertThat(wrong).hasMessageContaining("the snapshot is wrong at octet");
        refused++;
      }
    }
    script.stack.retire();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
    assertThat(refused).isGreaterThan(snapshot.length / 4);
  }
}
