package org.rddp.clientc;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.daemon.ProgramInC;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.WorkRequest;

/**
 * The daemon's end of a stream of requests through rings of 8 slots, whose other end is
 * test/race/rings_race.c. Both ends know each request and each completion by its number.
 */
final class RingStream implements AutoCloseable {
  private static final int SLOTS = 8;
  private static final int RETIRED_TOGETHER = 3;

  private final Arena arena = Arena.ofShared();
  private final DaemonRings daemon;
  private final WorkRequest request = new WorkRequest();

  /** Rings in a new file. */
  RingStream(Path file) throws IOException {
    daemon =
        new DaemonRings(
            SharedFile.map(file, DaemonRings.octets(SLOTS, SLOTS), arena), SLOTS, SLOTS);
  }

  /**
   * Takes, checks and completes so many requests, a multiple of 3. Signals are octets on the
   * program's input.
   */
  void serve(int requests, ProgramInC program) throws IOException {
    if (requests % RETIRED_TOGETHER != 0) {
      // The program would wait for the last ones for ever.
      throw new IllegalArgumentException(requests + " is no multiple of " + RETIRED_TOGETHER);
    }
    int number = 0;
    while (number < requests) {
      int taken = daemon.take(request);
      if (taken == DaemonRings.TAKEN) {
        check(isWhole(number), number);
        number++;
        if (number % RETIRED_TOGETHER == 0) {
          complete(number - 1);
        }
      } else {
        check(taken == DaemonRings.NOTHING, number);
        SharedFile.yieldUnlessInterrupted();
      }
      // A turn of the engine ends with this: it takes several requests, or finds none.
      if ((taken == DaemonRings.NOTHING || number % 4 == 0) && daemon.flush()) {
        program.write("!");
      }
    }
    if (daemon.flush()) {
      program.write("!");
    }
  }

  private void check(boolean condition, int number) {
    if (!condition) {
      throw new AssertionError("request " + number + " is not as it was posted: " + request);
    }
  }

  /** A field of a request, by its number. */
  private static int field(long number, int which) {
    return (int) (((number * 8 + which) * 0x9e37_79b9_7f4a_7c15L) >>> 40);
  }

  private boolean isWhole(int number) {
    return request.opcode() == Opcode.WRITE
        && request.isSignalled()
        && request.id() == number
        && request.connection() == field(number, 7)
        && request.remoteStag() == field(number, 1)
        && request.remoteTo() == field(number, 2)
        && (number % 2 == 0 ? isWholeInline(number) : hasAllPieces(number));
  }

  private boolean isWholeInline(int number) {
    return request.isInline()
        && request.length() == field(number, 3) % (WorkRequest.MAX_INLINE + 1)
        && RingRace.isFilled(request, field(number, 4));
  }

  private boolean hasAllPieces(int number) {
    int count = field(number, 3) % (StagPieces.MOST + 1);
    if (count == 0) {
      return request.length() == 0;
    }
    boolean same = !request.isInline() && request.pieces() == count;
    for (int i = 0; i < count && same; i++) {
      same =
          request.pieceStag(i) == field(number, 4) + i
              && request.pieceOffset(i) == field(number, 5) + i
              && request.pieceLength(i) == field(number, 6) + i;
    }
    return same;
  }

  private void complete(int number) {
    daemon
        .claim(RETIRED_TOGETHER)
        .begin(number, field(number, 3), Opcode.WRITE, CompletionStatus.SUCCESS, field(number, 1))
        .detail(field(number, 2))
        .immediate(field(number, 4))
        .submit();
  }

  @Override
  public void close() {
    arena.close();
  }
}
