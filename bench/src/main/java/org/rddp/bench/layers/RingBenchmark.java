package org.rddp.bench.layers;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.WorkRequest;

/**
 * CPU time of a work request and its completion in the rings between a program and the daemon, both
 * on one core. Between two cores the core-to-core round trip is added.
 */
@State(Scope.Thread)
public class RingBenchmark extends LayerBenchmark {
  private static final int SLOTS = 256;
  private static final int ENTRIES = 32;
  private static final int INLINE = 64;

  /** Requests posted before any is taken. */
  @Param({"1", "32"})
  public int batch;

  private final WorkRequest request = new WorkRequest();
  private final PolledCompletion completion = new PolledCompletion();
  private MemorySegment message;
  private ProgramRings program;
  private DaemonRings daemon;

  /** Creates the rings. */
  @Setup
  public void open() throws IOException {
    MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(SLOTS, SLOTS), 64);
    daemon = new DaemonRings(memory, SLOTS, SLOTS);
    program = new ProgramRings(memory, () -> {});
    message = Arena.ofAuto().allocate(INLINE);
  }

  /** Posts, takes, completes and polls a write. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long write() {
    long ids = 0;
    for (int done = 0; done < ENTRIES; done += batch) {
      for (int i = 0; i < batch; i++) {
        program
            .claim(1)
            .begin(Opcode.WRITE, SendFlags.SIGNALLED, i, 1)
            .memory(2, 0, INLINE)
            .remote(3, 0)
            .submit();
      }
      ids += takeAndComplete(1);
      ids += poll();
    }
    return ids;
  }

  /** Posts, takes, completes and polls a write with inline data. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long inlineWrite() {
    long ids = 0;
    for (int done = 0; done < ENTRIES; done += batch) {
      for (int i = 0; i < batch; i++) {
        program
            .claim(WorkRequest.slotsForInline(INLINE))
            .begin(Opcode.WRITE, SendFlags.SIGNALLED, i, 1)
            .inline(message, 0, INLINE)
            .remote(3, 0)
            .submit();
      }
      ids += takeAndComplete(1);
      ids += poll();
    }
    return ids;
  }

  /** Posts and takes writes; completes and polls the last of 32. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long unsignalledWrite() {
    long ids = 0;
    for (int done = 0; done < ENTRIES; done += batch) {
      for (int i = 0; i < batch; i++) {
        program.claim(1).begin(Opcode.WRITE, 0, i, 1).memory(2, 0, INLINE).remote(3, 0).submit();
      }
      ids += takeAndComplete(ENTRIES);
      ids += poll();
    }
    return ids;
  }

  private long takeAndComplete(int every) {
    long ids = 0;
    while (daemon.take(request) == DaemonRings.TAKEN) {
      ids += request.id();
      if (daemon.inWork() % every == 0) {
        daemon
            .claim(every)
            .begin(request.id(), 1, Opcode.WRITE, CompletionStatus.SUCCESS, request.length())
            .submit();
      }
    }
    daemon.flush();
    return ids;
  }

  private long poll() {
    long ids = 0;
    while (program.poll(completion)) {
      ids += completion.id();
    }
    program.publish();
    return ids;
  }

  /** Requests that have not completed. */
  int outstanding() {
    return program.outstanding();
  }
}
