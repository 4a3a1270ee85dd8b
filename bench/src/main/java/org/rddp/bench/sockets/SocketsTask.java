package org.rddp.bench.sockets;

/**
 * A round of {@link SocketsRig}.
 *
 * @param program which programs: redis, iperf3, pgbench, wrk, or a loop, which is ping, connect,
 *     wait or memory
 * @param connections of the client, where it says how many
 * @param count requests, seconds, calls or connections
 */
record SocketsTask(String program, int connections, int count) {
  static SocketsTask redis(int connections, int requests) {
    return new SocketsTask("redis", connections, requests);
  }

  static SocketsTask iperf(int seconds) {
    return new SocketsTask("iperf3", 1, seconds);
  }

  static SocketsTask pgbench(int connections, int seconds) {
    return new SocketsTask("pgbench", connections, seconds);
  }

  static SocketsTask wrk(int connections, int seconds) {
    return new SocketsTask("wrk", connections, seconds);
  }

  static SocketsTask loop(String name, int count) {
    return new SocketsTask(name, 1, count);
  }

  MeasuredProgram programs() {
    return switch (program) {
      case "redis" -> new RedisProgram();
      case "iperf3" -> new IperfProgram();
      case "pgbench" -> new PgbenchProgram();
      case "wrk" -> new WrkProgram();
      default -> new LoopProgram(program);
    };
  }

  /** Whether the CPU time of one request can be told: the count is one of requests. */
  boolean countsRequests() {
    return program.equals("redis");
  }
}
