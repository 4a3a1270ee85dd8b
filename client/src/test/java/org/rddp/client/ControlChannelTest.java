package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

@Timeout(60)
class ControlChannelTest {
  @TempDir private Path directory;

  /** Loses the session with the first event. */
  private static final class FailingEvents implements ControlChannel.Events {
    @Override
    public void onEvent(DaemonMessage event) {
      throw new IllegalStateException("an event that cannot be handled");
    }

    @Override
    public void onLost(SessionLostException why) {}
  }

  /** A daemon that refuses a session answers, and closes the socket at once. */
  @Test
  void shouldReturnTheReplyWhenTheSessionIsLostRightAfterIt() throws IOException {
    Path path = directory.resolve("rddpd.sock");
    try (ControlListener listener =
            ControlListener.bind(path, PosixFilePermissions.fromString("rw-------"));
        ControlSocket program = ControlSocket.connect(path);
        ControlSocket daemon = listener.accept()) {
      ControlChannel channel = new ControlChannel(program, Duration.ofSeconds(10));
      channel.start(new FailingEvents());
      assertThatThrownBy(() ->
              channel.request(number -> lost(channel, daemon, number), DaemonMessage.Done.class))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LIMIT));
      assertThatThrownBy(
              () -> channel.request(ProgramMessage.OpenCounters::new, DaemonMessage.Done.class))
          .as("a later request")
          .isInstanceOf(SessionLostException.class);
      channel.close();
    }
  }

  /** Lets the reply arrive and the session be lost before the request is sent. */
  private static ProgramMessage lost(ControlChannel channel, ControlSocket daemon, int request) {
    try {
      assertThat(daemon.send(new DaemonMessage.Refused(request, Reason.LIMIT, 0, "no more")))
          .isTrue();
      assertThat(daemon.send(new DaemonMessage.PeerClosed(1))).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Eventually.isTrue(() -> channel.lost() != null);
    return new ProgramMessage.OpenCounters(request);
  }
}
