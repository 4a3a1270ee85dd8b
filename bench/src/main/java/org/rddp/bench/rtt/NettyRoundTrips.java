package org.rddp.bench.rtt;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Sample;
import org.rddp.rig.RoundTrips;

/**
 * A round of round trips on some connections of one event loop: each sends its next message when
 * the one before is back. For the event loop's thread.
 */
final class NettyRoundTrips {
  private final RttTask task;
  private final CompletableFuture<Sample> result;
  private final Histogram nanoseconds = RoundTrips.histogram();
  private long began;
  private long left;
  private int underWay;

  /**
   * A round that has not begun.
   *
   * @param result gets the sample: times, and {@code rate}, round trips a second
   */
  NettyRoundTrips(RttTask task, CompletableFuture<Sample> result) {
    this.task = task;
    this.result = result;
    left = task.count();
  }

  /** Sends the first messages. */
  void begin(List<NettyClient> clients) {
    began = System.nanoTime();
    // One that is faster than the others get their first message does not end the round.
    underWay = 1;
    for (NettyClient each : clients) {
      sendNext(each, began);
    }
    ended();
  }

  private void sendNext(NettyClient client, long now) {
    boolean late = now - began > task.mostNanos() && nanoseconds.getTotalCount() > 0;
    if (left > 0 && !late) {
      left--;
      underWay++;
      client.send(this, task.octets());
    }
  }

  /** A message is back, after some ns. */
  void onAnswer(NettyClient client, long sent, long now) {
    nanoseconds.recordValue(Math.min(now - sent, nanoseconds.getHighestTrackableValue()));
    sendNext(client, now);
    ended();
  }

  private void ended() {
    underWay--;
    if (underWay == 0) {
      double seconds = (System.nanoTime() - began) / 1e9;
      Sample times = Sample.of(nanoseconds);
      result.complete(times.with("rate", nanoseconds.getTotalCount() / seconds));
    }
  }

  void fail(String why) {
    result.completeExceptionally(new IOException(why));
  }
}
