package org.rddp.perf;

/**
 * What is measured, and how.
 *
 * @param test latency or throughput
 * @param verb the operation
 * @param outstanding operations of a connection at a time, at the most
 * @param connections number of connections; operations go over them in turn
 * @param bidirectional throughput: whether the server posts as many operations as this program
 * @param inlineOctets Writes and Sends up to this length lie in the work request; 0: none
 * @param chosenSignalEvery interval at which operations are signalled; 0: {@link #signalEvery}
 *     chooses it
 * @param waiting how this program waits
 * @param rate operations per second, all connections together; 0: each begins as soon as there is
 *     room (closed loop)
 * @param iterations the most operations measured for a size
 * @param nanos the longest time for a size, in ns
 * @param warmUpNanos time before that in which nothing is measured, in ns
 * @param full whether latencies are those of a full round trip in any case
 */
public record PerfSettings(
    Test test,
    Verb verb,
    int outstanding,
    int connections,
    boolean bidirectional,
    int inlineOctets,
    int chosenSignalEvery,
    Waiting waiting,
    double rate,
    long iterations,
    long nanos,
    long warmUpNanos,
    boolean full) {
  /** What is measured. */
  public enum Test {
    /** Latency. */
    LAT,

    /** Throughput. */
    BW
  }

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int SIGNAL_EVERY = 32;

  /** Most octets between two completions, so that each interval's throughput can be seen. */
  private static final int SIGNAL_OCTETS = 1 << 20;

  /** Whether operations begin at a fixed rate, without waiting for earlier ones (open loop). */
  public boolean openLoop() {
    return rate > 0;
  }

  /** Nanoseconds between two intended starts; 0 in a closed loop. */
  public double gapNanos() {
    return openLoop() ? NANOS_PER_SECOND / rate : 0;
  }

  /**
   * Whether latencies are reported as half a round trip: where a message of the same size comes
   * back for each, and one at a time is under way.
   */
  public boolean halves() {
    return test == Test.LAT
        && (verb == Verb.WRITE || verb == Verb.SEND)
        && !openLoop()
        && outstanding == 1
        && !full;
  }

  /**
   * The interval at which operations are signalled; 1 if the latency of Reads or atomics is
   * measured.
   *
   * @param size octets of a message
   */
  public int signalEvery(int size) {
    if (service() == Service.LOAD && test == Test.LAT) {
      return 1;
    }
    if (chosenSignalEvery > 0) {
      return chosenSignalEvery;
    }
    int most = test == Test.LAT ? SIGNAL_EVERY : Math.min(SIGNAL_EVERY, outstanding);
    return Math.clamp(SIGNAL_OCTETS / size, 1, most);
  }

  /** What the server is asked to do. */
  Service service() {
    if (test == Test.LAT && verb == Verb.WRITE) {
      return Service.WRITE_BACK;
    }
    return test == Test.LAT && verb == Verb.SEND ? Service.SEND_BACK : Service.LOAD;
  }

  /** Receives that a connection needs: for answers, or for the server's Sends and one flush. */
  public int receives() {
    return switch (service()) {
      case WRITE_BACK -> 0;
      case SEND_BACK -> outstanding;
      case LOAD ->
          test == Test.LAT ? 0 : 1 + (bidirectional && verb == Verb.SEND ? outstanding : 0);
    };
  }

  /** Octets of each of the two memories of a connection. */
  long memoryOctets(int size) {
    return service() == Service.WRITE_BACK
        ? new MarkedSlots(size, outstanding).octets()
        : Math.max(size, Long.BYTES);
  }
}
