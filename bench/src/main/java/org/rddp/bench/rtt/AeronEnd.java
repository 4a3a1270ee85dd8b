package org.rddp.bench.rtt;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

/**
 * Aeron's media driver and a client in this process. All of its timeouts are long, since the
 * process is stopped between rounds.
 */
final class AeronEnd implements AutoCloseable {
  private static final long FOREVER = TimeUnit.HOURS.toNanos(24);

  private final boolean invoked;
  private final MediaDriver driver;
  private final Aeron client;

  /**
   * Starts both.
   *
   * @param folder that driver and client share; created here, and removed by {@link #close}
   * @param invoked whether the driver runs on the thread that calls {@link #work()} instead of one
   *     of its own
   */
  AeronEnd(Path folder, boolean invoked) {
    this.invoked = invoked;
    MediaDriver.Context context =
        new MediaDriver.Context()
            .aeronDirectoryName(folder.toString())
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .threadingMode(invoked ? ThreadingMode.INVOKER : ThreadingMode.SHARED)
            .sharedIdleStrategy(new SleepingMillisIdleStrategy(1))
            .clientLivenessTimeoutNs(FOREVER)
            .imageLivenessTimeoutNs(FOREVER)
            .publicationConnectionTimeoutNs(FOREVER)
            .publicationUnblockTimeoutNs(2 * FOREVER)
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(FOREVER));
    driver = MediaDriver.launch(context);
    Aeron.Context own =
        new Aeron.Context()
            .aeronDirectoryName(folder.toString())
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(FOREVER));
    if (invoked) {
      own.useConductorAgentInvoker(true).driverAgentInvoker(driver.sharedAgentInvoker());
    }
    client = Aeron.connect(own);
  }

  Aeron client() {
    return client;
  }

  /** Runs a duty cycle of driver and client, where they are invoked. */
  void work() {
    if (invoked) {
      client.conductorAgentInvoker().invoke();
      driver.sharedAgentInvoker().invoke();
    }
  }

  @Override
  public void close() {
    client.close();
    driver.close();
  }
}
