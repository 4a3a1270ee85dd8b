package org.rddp.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;

/** Captures an interface's frames on a thread of its own while the demonstration runs. */
final class DemoCapture implements AutoCloseable {
  private final LiveCapture capture;
  private final Rddp session;
  private final Consumer<String> progress;
  private final Thread thread = new Thread(this::run, "capture");
  private volatile boolean running = true;
  private volatile IOException failure;

  DemoCapture(Path socket, String interfaceName, Path file, Consumer<String> progress)
      throws IOException {
    this.progress = progress;
    session =
        Rddp.connect(
            socket,
            RddpOptions.defaults()
                .withInterfaceName(interfaceName)
                .withProgramName("demo capture"));
    capture = new LiveCapture(session, file);
    thread.start();
  }

  private void run() {
    try {
      while (running) {
        if (capture.poll() == 0) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
    } catch (IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes the remaining frames, and closes the file. */
  @Override
  public void close() throws IOException {
    running = false;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    capture.close();
    session.close();
    progress.accept(
        "captured " + capture.frames() + " frames, " + capture.lost() + " more found no room");
    if (failure != null) {
      throw failure;
    }
  }
}
