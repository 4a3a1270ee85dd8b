package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.client.types.SendFlags;

/** What the other end can write into the rings, and that it harms nobody here. */
class HostileRingsTest {
  private static final int SUBMISSIONS = 8;
  private static final int COMPLETIONS = 16;

  private final MemorySegment memory =
      Arena.ofAuto().allocate(DaemonRings.octets(SUBMISSIONS, COMPLETIONS), 64);
  private final DaemonRings daemon = new DaemonRings(memory, SUBMISSIONS, COMPLETIONS);
  private final WorkRequest request = new WorkRequest();

  private void state(int slot, int lap) {
    memory.set(ValueLayout.JAVA_INT, slot(slot), 0x8000_0000 | lap);
  }

  private static long slot(int slot) {
    return RingLayout.SLOTS + (long) slot * RingLayout.SLOT;
  }

  private void word(int slot, int opcode, int flags, int slots) {
    memory.set(
        ValueLayout.JAVA_INT,
        slot(slot) + WorkRequest.OPCODE,
        WorkRequest.opcodeWord(opcode, flags, slots));
  }

  private int takeAfter(int opcode, int flags, int slots) {
    word(0, opcode, flags, slots);
    state(0, 0);
    return daemon.take(request);
  }

  @Test
  void shouldEndTheSessionOnAnUnknownOpcode() {
    assertThat(takeAfter(0, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND_WITH_IMMEDIATE + 1, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND_UNTAGGED - 1, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.TAGGED_NOTICE + 1, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(255, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
  }

  @Test
  void shouldLookAheadWhateverTheRequestsClaim() {
    int[] connections = new int[64];
    for (int claimed : new int[] {0, 1, 7, 255}) {
      for (int slot = 0; slot < SUBMISSIONS; slot++) {
        word(slot, 255, 255, claimed);
        state(slot, 0);
      }
      assertThat(daemon.lookAhead(connections)).isBetween(1, SUBMISSIONS);
    }
  }

  @Test
  void shouldEndTheSessionOnInvalidRequestsOfPlainDdp() {
    long ulp = slot(0) + WorkRequest.IMMEDIATE;
    memory.set(ValueLayout.JAVA_LONG, ulp, 1L << 40);
    assertThat(takeAfter(Opcode.SEND_UNTAGGED, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, ulp, 1L << 8);
    assertThat(takeAfter(Opcode.SEND_TAGGED, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, ulp, 1);
    assertThat(takeAfter(Opcode.RECEIVE_UNTAGGED, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.TAGGED_NOTICE, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, ulp, 0);
    memory.set(ValueLayout.JAVA_INT, slot(0) + WorkRequest.QN, -1);
    assertThat(takeAfter(Opcode.SEND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND_TAGGED, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.TAGGED_NOTICE, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_INT, slot(0) + WorkRequest.QN, 0);
    assertThat(takeAfter(Opcode.TAGGED_NOTICE, RequestForm.LIST, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND_TAGGED, SendFlags.FENCED, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND_UNTAGGED, SendFlags.SOLICITED, 1))
        .isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, slot(0) + WorkRequest.LENGTH, 1);
    assertThat(takeAfter(Opcode.TAGGED_NOTICE, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, ulp, 0xff_ffff_ffffL);
    memory.set(ValueLayout.JAVA_INT, slot(0) + WorkRequest.QN, -1);
    assertThat(takeAfter(Opcode.SEND_UNTAGGED, 0, 1)).isEqualTo(DaemonRings.TAKEN);
    assertThat(request.qn()).isEqualTo(-1);
    assertThat(request.rsvdUlp()).isEqualTo(0xff_ffff_ffffL);
  }

  @Test
  void shouldEndTheSessionOnAnImpossibleNumberOfSlots() {
    assertThat(takeAfter(Opcode.SEND, 0, 0)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND, 0, 2)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND, 0, 5)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND, 0, 255)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND, RequestForm.INLINE, 4)).isEqualTo(DaemonRings.GARBAGE);
  }

  @Test
  void shouldEndTheSessionOnUnknownFlags() {
    assertThat(takeAfter(Opcode.SEND, 32, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.RECEIVE, SendFlags.FENCED, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.WRITE, SendFlags.SOLICITED, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.IMMEDIATE, RequestForm.INLINE, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SWAP, RequestForm.INLINE, 2)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.RECEIVE, RequestForm.INLINE, 1)).isEqualTo(DaemonRings.GARBAGE);
  }

  @Test
  void shouldEndTheSessionOnInvalidLengthsAndOffsets() {
    long length = slot(0) + WorkRequest.LENGTH;
    memory.set(ValueLayout.JAVA_LONG, length, -1);
    assertThat(takeAfter(Opcode.SEND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, length, 1L << 32);
    assertThat(takeAfter(Opcode.SEND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, length, WorkRequest.MAX_INLINE + 1);
    assertThat(takeAfter(Opcode.SEND, RequestForm.INLINE, 4)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, length, 0);
    memory.set(ValueLayout.JAVA_LONG, slot(0) + WorkRequest.LOCAL_OFFSET, -1);
    assertThat(takeAfter(Opcode.SEND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
  }

  @Test
  void shouldEndTheSessionOnAnAtomicOfAnotherSize() {
    long length = slot(0) + WorkRequest.LENGTH;
    memory.set(ValueLayout.JAVA_LONG, length, 7);
    assertThat(takeAfter(Opcode.FETCH_ADD, 0, 2)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, length, 8);
    assertThat(takeAfter(Opcode.FETCH_ADD, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.FETCH_ADD, 0, 3)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.FETCH_ADD, 0, 2)).isEqualTo(DaemonRings.TAKEN);
  }

  @Test
  void shouldEndTheSessionOnInvalidLocalOperations() {
    long length = slot(0) + WorkRequest.LENGTH;
    long rights = slot(0) + WorkRequest.REMOTE_TO;
    memory.set(ValueLayout.JAVA_LONG, length, 1);
    assertThat(takeAfter(Opcode.INVALIDATE, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.BIND, RequestForm.INLINE, 2)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, rights, Access.LOCAL_WRITE.bit());
    assertThat(takeAfter(Opcode.BIND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, rights, Access.MW_BIND.bit());
    assertThat(takeAfter(Opcode.BIND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, rights, 1L << 32 | Access.REMOTE_READ.bit());
    assertThat(takeAfter(Opcode.BIND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, rights, Access.REMOTE_READ.bit());
    memory.set(ValueLayout.JAVA_LONG, length, -1);
    assertThat(takeAfter(Opcode.BIND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, length, Long.MAX_VALUE);
    assertThat(takeAfter(Opcode.BIND, 0, 1)).isEqualTo(DaemonRings.TAKEN);
  }

  private int takeList(int opcode, int flags, int pieces, int slots) {
    memory.set(
        ValueLayout.JAVA_INT,
        slot(0) + WorkRequest.OPCODE,
        WorkRequest.opcodeWord(opcode, flags | RequestForm.LIST, slots) | pieces << 24);
    state(0, 0);
    return daemon.take(request);
  }

  @Test
  void shouldEndTheSessionOnInvalidPieces() {
    assertThat(takeList(Opcode.SEND, 0, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeList(Opcode.SEND, 0, 1, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeList(Opcode.SEND, 0, 1, 3)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeList(Opcode.SEND, 0, 7, 4)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeList(Opcode.SEND, RequestForm.INLINE, 1, 2)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeList(Opcode.READ, 0, 1, 2)).as("a read").isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.SEND, 0, 1 | 1 << 8)).isEqualTo(DaemonRings.GARBAGE);
    long piece = slot(1) + WorkRequest.DATA;
    memory.set(ValueLayout.JAVA_LONG, piece + WorkRequest.PIECE_LENGTH, 1);
    assertThat(takeList(Opcode.SEND, 0, 1, 2)).as("length").isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, piece + WorkRequest.PIECE_LENGTH, 0);
    memory.set(ValueLayout.JAVA_LONG, piece + WorkRequest.PIECE_OFFSET, -1);
    assertThat(takeList(Opcode.SEND, 0, 1, 2)).as("offset").isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, piece + WorkRequest.PIECE_OFFSET, 0);
    memory.set(ValueLayout.JAVA_INT, piece + 4, 1);
    assertThat(takeList(Opcode.SEND, 0, 1, 2)).as("zero").isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_INT, piece + 4, 0);
    assertThat(takeList(Opcode.SEND, 0, 1, 2)).isEqualTo(DaemonRings.TAKEN);
  }

  @Test
  void shouldEndTheSessionOnImmediateDataOfAnotherOpcode() {
    memory.set(ValueLayout.JAVA_LONG, slot(0) + WorkRequest.IMMEDIATE, 1);
    assertThat(takeAfter(Opcode.SEND, 0, 1)).isEqualTo(DaemonRings.GARBAGE);
    assertThat(takeAfter(Opcode.WRITE_IMMEDIATE, 0, 1)).isEqualTo(DaemonRings.TAKEN);
  }

  @Test
  void shouldEndTheSessionWhenMoreCompletionsAreReadThanWereWritten() {
    for (int i = 0; i < COMPLETIONS; i++) {
      word(i % SUBMISSIONS, Opcode.SEND, SendFlags.SIGNALLED, 1);
      state(i % SUBMISSIONS, i / SUBMISSIONS);
      assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    }
    word(0, Opcode.SEND, 0, 1);
    state(0, 2);
    assertThat(daemon.take(request)).as("full").isEqualTo(DaemonRings.NOTHING);
    memory.set(ValueLayout.JAVA_LONG, RingLayout.READ, 1);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, RingLayout.READ, -1);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.GARBAGE);
    memory.set(ValueLayout.JAVA_LONG, RingLayout.READ, Long.MAX_VALUE);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.GARBAGE);
  }

  @Test
  void shouldReadARequestOnce() {
    word(0, Opcode.SEND, 0, 1);
    memory.set(ValueLayout.JAVA_LONG, slot(0) + WorkRequest.LENGTH, 100);
    state(0, 0);
    assertThat(daemon.take(request)).isEqualTo(DaemonRings.TAKEN);
    memory.asSlice(slot(0), RingLayout.SLOT).fill((byte) 0xff);

    assertThat(request.length()).isEqualTo(100);
    assertThat(request.opcode()).isEqualTo(Opcode.SEND);
  }

  @Test
  void shouldSurviveRandomMemory() {
    int taken = 0;
    int garbage = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] octets = new byte[(int) memory.byteSize()];
      random.nextBytes(octets);
      MemorySegment shared = Arena.ofAuto().allocate(octets.length, 64);
      DaemonRings rings = new DaemonRings(shared, SUBMISSIONS, COMPLETIONS);
      shared.copyFrom(MemorySegment.ofArray(octets));
      plausible(shared, random);
      int result = rings.take(request);
      for (int turn = 0; turn < 100 && result == DaemonRings.TAKEN; turn++) {
        taken++;
        long most = request.opcode() == Opcode.BIND ? Long.MAX_VALUE : RequestForm.MAX_LENGTH;
        assertThat(request.length()).isBetween(0L, most);
        assertThat(request.localOffset()).isNotNegative();
        rings
            .claim(1)
            .begin(request.id(), 0, request.opcode(), CompletionStatus.SUCCESS, 0)
            .submit();
        rings.flush();
        result = rings.take(request);
      }
      garbage += result == DaemonRings.GARBAGE ? 1 : 0;
    }
    assertThat(taken).isPositive();
    assertThat(garbage).isPositive();
  }

  /** Most of the time the parts that are looked at first are right, so that others are reached. */
  private static void plausible(MemorySegment shared, Random random) {
    for (int slot = 0; slot < SUBMISSIONS; slot++) {
      shared.set(ValueLayout.JAVA_INT, slot(slot), 0x8000_0000);
      if (random.nextInt(8) != 0) {
        int flags = random.nextInt(4);
        int slots = flags < 2 ? 1 : random.nextInt(1, 5);
        shared.set(
            ValueLayout.JAVA_INT,
            slot(slot) + WorkRequest.OPCODE,
            WorkRequest.opcodeWord(random.nextInt(1, 20), flags, slots));
        shared.set(
            ValueLayout.JAVA_LONG,
            slot(slot) + WorkRequest.LENGTH,
            random.nextBoolean() ? 8 : random.nextInt(169));
        shared.set(ValueLayout.JAVA_INT, slot(slot) + WorkRequest.OBJECT + 4, 0);
        shared.set(ValueLayout.JAVA_LONG, slot(slot) + WorkRequest.IMMEDIATE, 0);
      }
    }
  }

  @Test
  void shouldRefuseRingsOfABrokenDaemon() throws IOException {
    ProgramRings program = new ProgramRings(memory, () -> {});
    long completions = slot(SUBMISSIONS);
    memory.set(ValueLayout.JAVA_INT, completions, 0x8000_0000);
    memory.set(ValueLayout.JAVA_INT, completions + CompletionEntry.RETIRED, 1);
    assertThatThrownBy(() -> program.poll(new PolledCompletion()))
        .isInstanceOf(IllegalStateException.class);
    memory.set(ValueLayout.JAVA_LONG, RingLayout.TAKEN, 100);
    for (int i = 0; i < SUBMISSIONS; i++) {
      assertThat(program.claim(1).begin(Opcode.SEND, 0, i, 1).memory(1, 0, 0).submit()).isTrue();
    }
    assertThatThrownBy(() -> program.claim(1)).isInstanceOf(IllegalStateException.class);
  }
}
