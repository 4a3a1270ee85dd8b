package org.rddp.rig;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * A thread for one task, pinned to a CPU. It ends with the task, and so do the task's changes to
 * the thread, such as its network namespace.
 */
public final class PinnedThread<T> implements AutoCloseable {
  private final FutureTask<T> task;

  private PinnedThread(FutureTask<T> task) {
    this.task = task;
  }

  /**
   * Starts the task.
   *
   * @throws IOException when the thread may not run on that CPU; the task is not started then
   */
  public static <T> PinnedThread<T> start(String name, int cpu, Callable<T> body)
      throws IOException, InterruptedException {
    CompletableFuture<Void> pinned = new CompletableFuture<>();
    FutureTask<T> task = new FutureTask<>(body);
    Thread.ofPlatform()
        .name(name)
        .daemon()
        .start(() -> {
          try {
            Affinity.pin(cpu);
          } catch (IOException refused) {
            pinned.completeExceptionally(refused);
            return;
          }
          pinned.complete(null);
          task.run();
        });
    result(pinned);
    return new PinnedThread<>(task);
  }

  /**
   * Waits for the end of the task.
   *
   * @return the task's result
   * @throws IOException the task's exception
   */
  public T join() throws IOException, InterruptedException {
    return result(task);
  }

  /** Interrupts the task if it still runs. */
  @Override
  public void close() {
    task.cancel(true);
  }

  /** Waits for a result of another thread, whose exception becomes an IOException. */
  public static <T> T result(Future<T> future) throws IOException, InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException failure) {
      throw new IOException(failure.getCause().getMessage(), failure.getCause());
    }
  }
}
