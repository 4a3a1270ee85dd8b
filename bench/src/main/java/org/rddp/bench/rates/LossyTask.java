package org.rddp.bench.rates;

import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.link.LinkCounts;
import org.rddp.bench.link.LinkSettings;

/**
 * A task for rigs on a lossy link: messages one way for a time, over a new connection. Its samples
 * are those of {@link #sample}.
 *
 * @param octets of a message
 * @param millis that are measured, after a fifth of that in which the connection finds its pace
 * @param loss probability that the link loses a frame, 0 to 1
 * @param rate of the link in Gb/s
 * @param micros delay of the link each way
 */
record LossyTask(int octets, int millis, double loss, double rate, int micros) {
  private static final int QUEUE = 512 << 10;

  /** The link of a round: each round loses other frames, the same for every contender. */
  LinkSettings linkSettings(int round) {
    return new LinkSettings(loss, rate, micros * 1000L, QUEUE, round);
  }

  /** This link without loss and delay, for what must be over soon. */
  LinkSettings losslessLink() {
    return new LinkSettings(0, rate, 0, QUEUE, 1);
  }

  /** How long frames of the round before may be under way, in ns. */
  long drain() {
    return micros * 2000L + 10_000_000;
  }

  /** How long a connection has to find its pace, in ns. */
  long settling() {
    return nanos() / 5;
  }

  long nanos() {
    return millis * 1_000_000L;
  }

  /** Goodput as {@code gbps}, and the link's {@code frames}, {@code lost} and {@code dropped}. */
  static Sample sample(long octets, long nanos, LinkCounts counts) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("gbps", 8.0 * octets / nanos);
    figures.put("frames", (double) counts.frames());
    figures.put("lost", (double) counts.lost());
    figures.put("dropped", (double) counts.dropped());
    return Sample.of(figures);
  }
}
