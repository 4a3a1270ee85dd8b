package org.rddp.cli;

import java.util.function.LongConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/** A progress bar on standard error, shown once the length is known. */
final class TransferProgress implements AutoCloseable {
  private static final long MEBIBYTE = 1 << 20;

  private final String task;
  private ProgressBar bar;

  TransferProgress(String task) {
    this.task = task;
  }

  /**
   * Shows the bar.
   *
   * @param octets length of the transfer
   * @return receives the number of octets transferred so far
   */
  LongConsumer begin(long octets) {
    bar =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(octets)
            .setUnit(" MiB", MEBIBYTE)
            .showSpeed()
            .build();
    return bar::stepTo;
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
