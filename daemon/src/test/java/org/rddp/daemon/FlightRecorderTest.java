package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/** The daemon's events in a recording of Flight Recorder. */
@Timeout(60)
class FlightRecorderTest {
  @TempDir private Path directory;

  @Test
  void shouldRecordConnectionsThatAreOpenedAndThatFail() throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      try (ConnectedPrograms programs = new ConnectedPrograms();
          MemoryRegion source = programs.here.allocate(64, Access.LOCAL_WRITE)) {
        assertThatThrownBy(
                () -> programs.here.connect(nobody(), PrivateData.NONE, ConnectedPrograms.TIMEOUT))
            .isInstanceOf(ConnectionFailedException.class);
        assertThat(programs.out.postWrite(1, source, 0, 64, 0x12345678, 0)).isTrue();
        assertThat(programs.out.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
        assertThat(programs.in.awaitClosed(ConnectedPrograms.TIMEOUT)).isTrue();
      }
      recording.stop();

      List<RecordedEvent> opened = events(recording, "org.rddp.ConnectionOpened");
      assertThat(opened).hasSize(2);
      assertThat(opened)
          .anySatisfy(event -> {
            assertThat(event.getString("port")).isEqualTo("one");
            assertThat(event.getString("remoteAddress")).isEqualTo("10.0.0.2");
            assertThat(event.getInt("remotePort")).isEqualTo(ConnectedPrograms.PORT);
            assertThat(event.getBoolean("initiator")).isTrue();
          });
      assertThat(events(recording, "org.rddp.ConnectionFailed"))
          .extracting(
              event -> event.getString("port"),
              event -> event.getString("reason"),
              event -> event.getBoolean("opened"),
              event -> event.getInt("detail"))
          .containsExactlyInAnyOrder(
              tuple("one", "REFUSED", false, 0),
              tuple("one", "TERMINATED", true, 0x1100),
              tuple("two", "DDP_ERROR", true, 0x0100));
    }
  }

  private static InetSocketAddress nobody() {
    return new InetSocketAddress("10.0.0.2", 9);
  }

  private List<RecordedEvent> events(Recording recording, String name) throws IOException {
    Path file = directory.resolve("events.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(name))
        .toList();
  }
}
