package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;

class RingsTest {
  private final MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(8, 16), 64);
  private final DaemonRings daemon = new DaemonRings(memory, 8, 16);
  private final ProgramRings program = open(memory);
  private final WorkRequest request = new WorkRequest();
  private final PolledCompletion completion = new PolledCompletion();

  private static ProgramRings open(MemorySegment memory) {
    try {
      return new ProgramRings(memory, () -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private boolean post(long id) {
    SubmissionEntry entry = program.claim(1);
    return entry != null
        && entry.begin(Opcode.SEND, SendFlags.SIGNALLED, id, 7).memory(1, 2, 3).submit();
  }

  private void complete(long id, int retired) {
    daemon.claim(retired).begin(id, 7, Opcode.SEND, CompletionStatus.SUCCESS, 3).submit();
  }

  @Test
  void shouldNameEveryFlag() {
    assertThat(RequestForm.all())
        .extracting(form -> WorkRequest.flagNames(form.flags()))
        .noneMatch(names -> names.contains("0x"));
  }

  @Test
  void shouldCarryEveryFieldOfARequest() {
    assertThat(
            program
                .claim(1)
                .begin(Opcode.WRITE, SendFlags.SIGNALLED, Long.MIN_VALUE + 1, 0x80000007)
                .memory(0xdeadbeef, 1L << 40, 0xffff_ffffL)
                .remote(0xfeedface, -2L)
                .submit())
        .isTrue();

    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.opcode()).isEqualTo(Opcode.WRITE);
    assertThat(request.isSignalled()).isTrue();
    assertThat(request.isInline()).isFalse();
    assertThat(request.id()).isEqualTo(Long.MIN_VALUE + 1);
    assertThat(request.connection()).isEqualTo(0x80000007);
    assertThat(request.localStag()).isEqualTo(0xdeadbeef);
    assertThat(request.localOffset()).isEqualTo(1L << 40);
    assertThat(request.length()).isEqualTo(0xffff_ffffL);
    assertThat(request.remoteStag()).isEqualTo(0xfeedface);
    assertThat(request.remoteTo()).isEqualTo(-2L);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.NOTHING);
  }

  @Test
  void shouldGoOnWithTheRingsOfAFormerEnd() {
    for (long id = 1; id <= 3; id++) {
      assertThat(post(id)).isTrue();
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    }
    complete(1, 1);
    assertThat(post(4)).isTrue();
    DaemonRings next = new DaemonRings(memory, 8, 16);
    next.goOn(daemon.positions());
    assertThat(next.inWork()).isEqualTo(2);
    assertThat(next.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.id()).isEqualTo(4);
    next.claim(3).begin(4, 7, Opcode.SEND, CompletionStatus.SUCCESS, 3).submit();
    assertThat(next.flush()).isFalse();
    assertThat(next.positions()).isEqualTo(new DaemonRings.Positions(4, 2, 2, 0, 0));
    assertThat(program.poll(completion)).isTrue();
    assertThat(completion.id()).isEqualTo(1);
    assertThat(program.poll(completion)).isTrue();
    assertThat(completion.id()).isEqualTo(4);
    for (long id = 5; id <= 12; id++) {
      assertThat(post(id)).as("what the former end has taken makes room").isTrue();
    }
    assertThat(post(13)).isFalse();
  }

  @Test
  void shouldWakeAProgramThatTheFormerEndHasNotWoken() {
    assertThat(post(1)).isTrue();
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(program.requestSignal()).isTrue();
    complete(1, 1);
    DaemonRings next = new DaemonRings(memory, 8, 16);
    next.goOn(daemon.positions());
    assertThat(next.flush()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "4, 2, 2, 3, 1",
    "4, 2, 3, 2, 1",
    "4, 2, 2, -1, 1",
    "4, 2, -1, 2, 1",
    "4, 2, 2, 2, -1",
    "4, 2, 2, 2, 5",
    "20, 2, 2, 0, 15"
  })
  void shouldRefusePositionsThatNoEndHas(
      long taken, long written, long flushed, long read, int inWork) {
    DaemonRings.Positions none = new DaemonRings.Positions(taken, written, flushed, read, inWork);
    assertThatThrownBy(() -> daemon.goOn(none)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldLookAheadWithoutTaking() {
    int[] connections = new int[3];
    assertThat(daemon.lookAhead(connections)).isZero();
    MemorySegment data = Arena.ofAuto().allocate(100, 8);
    SubmissionEntry entry = program.claim(WorkRequest.slotsForInline(100));
    entry.begin(Opcode.SEND, SendFlags.SIGNALLED, 1, 5).inline(data, 0, 100).submit();
    post(2);
    assertThat(daemon.lookAhead(connections)).isEqualTo(2);
    assertThat(connections).startsWith(5, 7);
    post(3);
    post(4);
    assertThat(daemon.lookAhead(connections)).isEqualTo(3);
    for (long id = 1; id <= 4; id++) {
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
      assertThat(request.id()).isEqualTo(id);
    }
    assertThat(daemon.lookAhead(connections)).isZero();
  }

  @Test
  void shouldCarryEveryFieldOfACompletion() {
    post(5);
    daemon.take(request);
    daemon
        .claim(1)
        .begin(-5, 0x80000007, Opcode.SEND, CompletionStatus.REMOTE_ACCESS_ERROR, 1L << 33)
        .detail(0x0105)
        .submit();

    assertThat(program.poll(completion)).isTrue();
    assertThat(completion.id()).isEqualTo(-5);
    assertThat(completion.connection()).isEqualTo(0x80000007);
    assertThat(completion.opcode()).isEqualTo(Opcode.SEND);
    assertThat(completion.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(completion.isSuccess()).isFalse();
    assertThat(completion.octets()).isEqualTo(1L << 33);
    assertThat(completion.retired()).isEqualTo(1);
    assertThat(completion.detail()).isEqualTo(0x0105);
    assertThat(program.poll(completion)).isFalse();
  }

  @Test
  void shouldCarryImmediateDataAndFlags() {
    int flags = SendFlags.FENCED | SendFlags.SOLICITED;
    assertThat(
            program
                .claim(1)
                .begin(Opcode.WRITE_IMMEDIATE, flags, 1, 7)
                .memory(8, 9, 10)
                .remote(11, 12)
                .immediate(-13L)
                .submit())
        .isTrue();
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.opcode()).isEqualTo(Opcode.WRITE_IMMEDIATE);
    assertThat(request.streamFlags()).isEqualTo(SendFlags.FENCED | SendFlags.SOLICITED);
    assertThat(request.isSignalled()).isFalse();
    assertThat(request.immediate()).isEqualTo(-13L);
  }

  @Test
  void shouldCarryTheOperandsOfAnAtomic() {
    for (int lap = 0; lap < 20; lap++) {
      assertThat(
              program
                  .claim(WorkRequest.ATOMIC_SLOTS)
                  .begin(Opcode.COMPARE_SWAP, SendFlags.SIGNALLED, lap, 7)
                  .memory(8, 16, RequestForm.ATOMIC_OCTETS)
                  .operands(1, 2, 3, -4L)
                  .remote(9, -10L)
                  .submit())
          .isTrue();
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
      assertThat(request.opcode()).isEqualTo(Opcode.COMPARE_SWAP);
      assertThat(request.length()).isEqualTo(8);
      assertThat(request.localStag()).isEqualTo(8);
      assertThat(request.localOffset()).isEqualTo(16);
      assertThat(request.remoteStag()).isEqualTo(9);
      assertThat(request.remoteTo()).isEqualTo(-10L);
      assertThat(request.operand()).isEqualTo(1);
      assertThat(request.mask()).isEqualTo(2);
      assertThat(request.compare()).isEqualTo(3);
      assertThat(request.compareMask()).isEqualTo(-4L);
      complete(lap, 1);
      daemon.flush();
      assertThat(program.poll(completion)).isTrue();
      program.publish();
    }
  }

  @Test
  void shouldCarryPiecesAcrossTheRingsEnd() {
    StagPieces pieces = new StagPieces();
    for (int lap = 0; lap < 50; lap++) {
      pieces.clear();
      int count = 1 + lap % StagPieces.MOST;
      for (int i = 0; i < count; i++) {
        pieces.add(100 + i, (1L << 40) + i, lap + i + 1);
      }
      assertThat(
              program
                  .claim(pieces.slots())
                  .begin(Opcode.WRITE, SendFlags.FENCED, lap, 7)
                  .memory(pieces)
                  .remote(9, -10L)
                  .submit())
          .isTrue();
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
      assertThat(request.streamFlags()).isEqualTo(SendFlags.FENCED);
      assertThat(request.length()).isEqualTo(pieces.length());
      assertThat(request.remoteStag()).isEqualTo(9);
      assertThat(request.pieces()).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        assertThat(request.pieceStag(i)).isEqualTo(100 + i);
        assertThat(request.pieceOffset(i)).isEqualTo((1L << 40) + i);
        assertThat(request.pieceLength(i)).isEqualTo(lap + i + 1);
      }
      complete(lap, 1);
      daemon.flush();
      assertThat(program.poll(completion)).isTrue();
      program.publish();
    }
  }

  @Test
  void shouldCarryImmediateDataAndInvalidatedStagOfAReceive() {
    post(5);
    daemon.take(request);
    daemon
        .claim(1)
        .begin(5, 7, Opcode.RECEIVE, CompletionStatus.SUCCESS, 8)
        .immediate(Long.MIN_VALUE)
        .solicited()
        .submit();
    assertThat(program.poll(completion)).isTrue();
    assertThat(completion.hasImmediate()).isTrue();
    assertThat(completion.immediate()).isEqualTo(Long.MIN_VALUE);
    assertThat(completion.isSolicited()).isTrue();
    assertThat(completion.invalidatedStag()).isZero();

    post(6);
    daemon.take(request);
    daemon
        .claim(1)
        .begin(6, 7, Opcode.RECEIVE, CompletionStatus.SUCCESS, 8)
        .invalidated(0xcafe)
        .submit();
    assertThat(program.poll(completion)).isTrue();
    assertThat(completion.hasImmediate()).isFalse();
    assertThat(completion.isSolicited()).isFalse();
    assertThat(completion.invalidatedStag()).isEqualTo(0xcafe);
    assertThat(completion.window()).isZero();
    assertThat(completion.windowStag()).isZero();
  }

  @Test
  void shouldCarryABindAndTheNextStag() {
    long large = 5L << 32;
    assertThat(
            program
                .claim(1)
                .begin(Opcode.BIND, 0, 9, 7)
                .memory(0xab, large, large)
                .remote(0x100001, 14)
                .submit())
        .isTrue();
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.opcode()).isEqualTo(Opcode.BIND);
    assertThat(request.isSignalled()).as("always").isTrue();
    assertThat(request.localStag()).isEqualTo(0xab);
    assertThat(request.localOffset()).isEqualTo(large);
    assertThat(request.length()).as("more than a message has").isEqualTo(large);
    assertThat(request.window()).isEqualTo(0x100001);
    assertThat(request.rights()).isEqualTo(14);
    daemon
        .claim(1)
        .begin(9, 7, Opcode.BIND, CompletionStatus.SUCCESS, 0)
        .window(0x100001, 0xcafe)
        .submit();
    assertThat(program.poll(completion)).isTrue();
    assertThat(completion.window()).isEqualTo(0x100001);
    assertThat(completion.windowStag()).isEqualTo(0xcafe);
    assertThat(completion.invalidatedStag()).isZero();
  }

  @Test
  void shouldSendNothingOfTheEntryBeforeInTheSameSlot() {
    for (int i = 0; i < 16; i++) {
      SubmissionEntry entry = program.claim(1).begin(Opcode.WRITE_IMMEDIATE, 0, i, 7);
      entry.memory(1, 2, 3).remote(4, 5).immediate(6).submit();
      daemon.take(request);
      complete(i, 1);
      daemon.flush();
      program.poll(completion);
      program.publish();
    }
    program.claim(1).begin(Opcode.SEND, 0, 16, 7).submit();

    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.localStag()).isZero();
    assertThat(request.localOffset()).isZero();
    assertThat(request.length()).isZero();
    assertThat(request.remoteStag()).isZero();
    assertThat(request.remoteTo()).isZero();
    assertThat(request.immediate()).isZero();
    assertThat(request.pieces()).isZero();
  }

  @Test
  void shouldPostOnePieceInOneSlot() {
    StagPieces pieces = new StagPieces();
    pieces.add(8, 9, 10);
    assertThat(pieces.slots()).isEqualTo(1);
    program.claim(1).begin(Opcode.SEND, 0, 1, 7).memory(pieces).submit();

    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.pieces()).isEqualTo(1);
    assertThat(request.pieceStag(0)).isEqualTo(8);
    assertThat(request.pieceOffset(0)).isEqualTo(9);
    assertThat(request.pieceLength(0)).isEqualTo(10);
  }

  @Test
  void shouldRefuseAMessageThatNeedsOtherSlotsThanWereClaimed() {
    SubmissionEntry entry = program.claim(1).begin(Opcode.SEND, 0, 1, 7);
    StagPieces pieces = new StagPieces();
    pieces.add(1, 0, 1);
    pieces.add(2, 0, 1);
    MemorySegment from = Arena.ofAuto().allocate(1);

    assertThatThrownBy(() -> entry.memory(pieces))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 slots claimed, 2 needed");
    assertThatThrownBy(() -> entry.inline(from, 0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> entry.operands(0, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(daemon.take(request)).as("not submitted").isEqualTo(DaemonRings.NOTHING);
  }

  @Test
  void shouldKeepOrderOverManyLaps() {
    for (long id = 0; id < 1000; id++) {
      assertThat(post(id)).isTrue();
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
      assertThat(request.id()).isEqualTo(id);
      complete(id, 1);
      daemon.flush();
      assertThat(program.poll(completion)).isTrue();
      assertThat(completion.id()).isEqualTo(id);
      program.publish();
    }
    assertThat(program.outstanding()).isZero();
    assertThat(daemon.inWork()).isZero();
  }

  @Test
  void shouldCarryInlineDataOfEveryLengthAcrossTheRingsEnd() {
    byte[] data = new byte[WorkRequest.MAX_INLINE];
    new Random(1).nextBytes(data);
    MemorySegment from = Arena.ofAuto().allocate(data.length);
    MemorySegment.copy(data, 0, from, ValueLayout.JAVA_BYTE, 0, data.length);
    for (int length = 0; length <= WorkRequest.MAX_INLINE; length++) {
      assertThat(
              program
                  .claim(WorkRequest.slotsForInline(length))
                  .begin(Opcode.SEND, 0, length, 7)
                  .inline(from, 0, length)
                  .submit())
          .isTrue();
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
      assertThat(request.isInline()).isTrue();
      assertThat(request.length()).isEqualTo(length);
      assertThat(
              MemorySegment.ofAddress(request.inlineAddress())
                  .reinterpret(length)
                  .toArray(ValueLayout.JAVA_BYTE))
          .isEqualTo(Arrays.copyOf(data, length));
      complete(length, 1);
      daemon.flush();
      assertThat(program.poll(completion)).isTrue();
      program.publish();
    }
  }

  @Test
  void shouldNotMistakeInlineDataForAStateWord() {
    MemorySegment lap = Arena.ofAuto().allocate(WorkRequest.MAX_INLINE, 8);
    for (long at = 0; at < lap.byteSize(); at += 4) {
      lap.set(ValueLayout.JAVA_INT, at, RingLayout.lap(8, 3));
    }
    program
        .claim(WorkRequest.slotsForInline(WorkRequest.MAX_INLINE))
        .begin(Opcode.SEND, 0, 1, 7)
        .inline(lap, 0, WorkRequest.MAX_INLINE)
        .submit();
    program
        .claim(WorkRequest.slotsForInline(WorkRequest.MAX_INLINE))
        .begin(Opcode.SEND, 0, 2, 7)
        .inline(lap, 0, WorkRequest.MAX_INLINE)
        .submit();
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    daemon.flush();

    assertThat(daemon.take(request)).isEqualTo(DaemonRings.NOTHING);
    post(3);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.id()).isEqualTo(3);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.NOTHING);
  }

  @Test
  void shouldRefuseWhenNoSubmissionSlotIsFree() {
    for (int i = 0; i < 8; i++) {
      assertThat(post(i)).isTrue();
    }
    assertThat(post(8)).isFalse();
    daemon.take(request);
    assertThat(post(8)).as("taken, but the daemon has not said so").isFalse();
    daemon.flush();
    assertThat(post(8)).isTrue();
    assertThat(program.claim(2)).isNull();
  }

  @Test
  void shouldBoundOutstandingRequestsByTheCompletionRing() {
    for (int i = 0; i < 16; i++) {
      assertThat(post(i)).isTrue();
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
      daemon.flush();
    }
    assertThat(program.outstanding()).isEqualTo(program.capacity()).isEqualTo(16);
    assertThat(post(16)).isFalse();

    complete(0, 1);
    assertThat(post(16)).as("the completion has not been polled").isFalse();
    assertThat(program.poll(completion)).isTrue();
    assertThat(post(16)).isTrue();
    assertThat(daemon.take(request))
        .as("the daemon does not know that the slot is free")
        .isEqualTo(DaemonRings.NOTHING);
    program.publish();
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
  }

  @Test
  void shouldRetireUnsignalledRequestsWithALaterCompletion() {
    for (int i = 0; i < 4; i++) {
      program.claim(1).begin(Opcode.SEND, 0, i, 7).memory(1, 2, 3).submit();
      daemon.take(request);
      assertThat(request.isSignalled()).isFalse();
    }
    post(4);
    daemon.take(request);
    complete(4, 5);

    assertThat(program.poll(completion)).isTrue();
    assertThat(completion.retired()).isEqualTo(5);
    assertThat(program.outstanding()).isZero();
    assertThat(daemon.inWork()).isZero();
  }

  @Test
  void shouldRefuseToCompleteMoreThanWasTaken() {
    assertThatThrownBy(() -> complete(1, 1)).isInstanceOf(IllegalStateException.class);
    post(1);
    daemon.take(request);
    assertThatThrownBy(() -> complete(1, 2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> complete(1, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldWakeAProgramOnlyWhenItHasAsked() {
    post(1);
    post(2);
    daemon.take(request);
    daemon.take(request);
    complete(1, 1);
    assertThat(daemon.flush()).isFalse();
    assertThat(program.requestSignal()).as("a completion is there").isFalse();
    program.poll(completion);

    assertThat(program.requestSignal()).isTrue();
    assertThat(daemon.flush()).as("nothing new").isFalse();
    complete(2, 1);
    assertThat(daemon.flush()).isTrue();
    assertThat(daemon.flush()).isFalse();
  }

  @Test
  void shouldWakeADaemonOnlyWhileItSleeps() throws IOException {
    daemon.allowSleep();
    AtomicInteger signals = new AtomicInteger();
    ProgramRings waking = new ProgramRings(memory, signals::incrementAndGet);
    waking.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 1, 7).memory(1, 2, 3).submit();
    assertThat(signals).hasValue(0);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);

    daemon.announceSleep();
    waking.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 2, 7).memory(1, 2, 3).submit();
    waking.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 3, 7).memory(1, 2, 3).submit();
    assertThat(signals).as("one signal for a sleep").hasValue(1);
    assertThat(daemon.endSleep()).as("the program has woken it").isTrue();

    daemon.announceSleep();
    assertThat(daemon.endSleep()).isFalse();
    waking.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 4, 7).memory(1, 2, 3).submit();
    assertThat(signals).hasValue(1);
  }

  @Test
  void shouldTellTheProcessorOfTheDaemonsThread() {
    assertThat(program.engineProcessor()).isEqualTo(-1);
    daemon.runsOn(0);
    assertThat(program.engineProcessor()).isZero();
    daemon.runsOn(8191);
    assertThat(program.engineProcessor()).isEqualTo(8191);
  }

  @Test
  void shouldNotLookForTheSleepOfADaemonThatNeverSleeps() throws IOException {
    ProgramRings waking = new ProgramRings(memory, () -> fail("the daemon is awake"));
    daemon.announceSleep();
    waking.claim(1).begin(Opcode.SEND, SendFlags.SIGNALLED, 1, 7).memory(1, 2, 3).submit();
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
  }

  @Test
  void shouldTellThatRequestsWaitForReadCompletions() {
    for (int i = 0; i < 16; i++) {
      assertThat(post(i)).isTrue();
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
      complete(i, 1);
      daemon.flush();
    }
    program.poll(completion);
    assertThat(post(16)).isTrue();
    assertThat(daemon.take(request)).as("the completion's slot is not free").isZero();
    assertThat(daemon.isBlocked()).isTrue();

    program.publish();
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    assertThat(daemon.isBlocked()).isFalse();
  }

  @Test
  void shouldAllocateNothingAtEitherEnd() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    MemorySegment message = Arena.ofAuto().allocate(100);
    long octets = Long.MAX_VALUE;
    for (int round = 0; round < 100 && octets != 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 50_000; i++) {
        program
            .claim(1)
            .begin(Opcode.WRITE, SendFlags.SIGNALLED, i, 7)
            .memory(1, 2, 3)
            .remote(4, 5)
            .submit();
        program
            .claim(WorkRequest.slotsForInline(100))
            .begin(Opcode.SEND, 0, i, 7)
            .inline(message, 0, 100)
            .submit();
        daemon.take(request);
        daemon.take(request);
        complete(request.id(), 2);
        daemon.flush();
        program.poll(completion);
        program.publish();
      }
      octets = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(octets).isZero();
    assertThat(program.outstanding()).isZero();
  }

  @Test
  void shouldRefuseAnotherLayout() {
    assertThatThrownBy(() -> new ProgramRings(Arena.ofAuto().allocate(4096, 64), () -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not RDDPRING");
    memory.set(ValueLayout.JAVA_INT, 8, 9);
    assertThatThrownBy(() -> new ProgramRings(memory, () -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("layout version 9")
        .hasMessageContaining("same release");
    memory.set(ValueLayout.JAVA_INT, 8, RingLayout.VERSION);
    assertThatThrownBy(() -> new ProgramRings(memory.asSlice(0, 512), () -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("512");
    memory.set(ValueLayout.JAVA_INT, 12, 1 << 20);
    assertThatThrownBy(() -> new ProgramRings(memory, () -> {})).isInstanceOf(IOException.class);
    memory.set(ValueLayout.JAVA_INT, 12, 7);
    assertThatThrownBy(() -> new ProgramRings(memory, () -> {})).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> new ProgramRings(memory.asSlice(0, 32), () -> {}))
        .isInstanceOf(IOException.class);
  }

  @Test
  void shouldRefuseMemoryOfTheHeap() {
    MemorySegment heap = MemorySegment.ofArray(new long[(int) DaemonRings.octets(8, 16) / 8]);

    assertThatThrownBy(() -> new DaemonRings(heap, 8, 16))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("outside of the heap");
  }
}
