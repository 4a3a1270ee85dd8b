package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.wire.Memory;

/** Immediate data and atomics from both ends (RFC 7306). */
class ImmediateDataAndAtomicsTest {
  private static final long DATA = 0x0102_0304_0506_0708L;

  private final RdmapFixture rdmap = new RdmapFixture();
  private final RdmapStream stream = rdmap.stream;
  private final long address = rdmap.memory.address();

  private static String untagged(int control, int qn, int msn, String payload) {
    return "41%02x 00000000 %08x %08x 00000000".formatted(control, qn, msn) + payload;
  }

  /** The Terminate that follows on a segment: with its DDP header, without RDMAP's. */
  private static String terminate(String error, String segment) {
    String length = "%04x".formatted(segment.length() / 2);
    return hex(untagged(0x47, 2, 1, error + "c000" + length + segment.substring(0, 36)));
  }

  private static String hex(String spaced) {
    return spaced.replace(" ", "");
  }

  /** An Atomic Request of the peer's. */
  private static String request(
      int msn, int opcode, int stag, long to, long data, long mask, long compare, long bits) {
    return untagged(
        0x4a,
        1,
        msn,
        "%08x 0000beef %08x %016x %016x %016x %016x %016x"
            .formatted(opcode, stag, to, data, mask, compare, bits));
  }

  // ---- Immediate data ----

  @Test
  @Tag("RDMAPX-6-01")
  @Tag("RDMAPX-6-02")
  @Tag("RDMAPX-4-01")
  @Tag("RDMAPX-4-03")
  void shouldSendImmediateData() {
    assertThat(stream.postImmediate(new StreamRequest(1).immediate(DATA))).isTrue();
    assertThat(stream.postImmediate(new StreamRequest(2).flags(RdmapFlags.SOLICITED).immediate(-1)))
        .isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("send 1 done 8", "send 2 done 8");
    assertThat(rdmap.sent())
        .containsExactly(
            hex(untagged(0x48, 0, 1, "0102030405060708")),
            hex(untagged(0x49, 0, 2, "ffffffffffffffff")));
  }

  @Test
  @Tag("RDMAPX-6-01")
  @Tag("RDMAPX-6-02")
  @Tag("RDMAPX-6-03")
  void shouldReceiveImmediateData() {
    stream.postReceive(new StreamRequest(1).memory(address, 8));
    stream.postReceive(new StreamRequest(2).memory(address, 100));
    assertThat(
            rdmap.receive(
                untagged(0x48, 0, 1, "0102030405060708"), untagged(0x49, 0, 2, "00000000000000ff")))
        .containsExactly("immediate 1 data 102030405060708", "immediate 2 data ff solicited");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "01020304050607", "010203040506070809"})
  @Tag("RDMAPX-6-01")
  @Tag("RDMAPX-8.1-01")
  void shouldRefuseImmediateDataOfAnotherLength(String payload) {
    stream.postReceive(new StreamRequest(1).memory(address, 100));
    String segment = hex(untagged(0x48, 0, 1, payload));
    assertThat(rdmap.receive(segment)).containsExactly("receive 1 flushed 0", "error 0/2/255");
    assertThat(rdmap.sent()).containsExactly(terminate("02ff", segment));
  }

  @Test
  @Tag("RDMAPX-6-03")
  void shouldLeaveTheMemoryOfTheReceiveAlone() {
    stream.postReceive(new StreamRequest(1).memory(address, 7));
    stream.postReceive(new StreamRequest(2).memory(address, 100));
    assertThat(
            rdmap.receive(
                untagged(0x48, 0, 1, "0102030405060708"), untagged(0x48, 0, 2, "1112131415161718")))
        .containsExactly("immediate 1 data 102030405060708", "immediate 2 data 1112131415161718");
    rdmap.memory.assertUntouched();
  }

  @Test
  @Tag("RDMAPX-6-03")
  void shouldTakeImmediateDataThatComesInPieces() {
    stream.postReceive(new StreamRequest(1).memory(address, 100));
    assertThat(
            rdmap.receive(
                "0148 00000000 00000000 00000001 00000000 01020304",
                "4148 00000000 00000000 00000001 00000004 05060708"))
        .containsExactly("immediate 1 data 102030405060708");
  }

  @Test
  @Tag("RDMAPX-6-03")
  void shouldReceiveImmediateDataWithoutMemory() {
    stream.postReceive(new StreamRequest(1));
    stream.postReceive(new StreamRequest(2));
    stream.postReceive(new StreamRequest(3));
    assertThat(
            rdmap.receive(
                untagged(0x48, 0, 1, "0102030405060708"),
                untagged(0x49, 0, 2, "00000000000000ff"),
                untagged(0x43, 0, 3, "")))
        .containsExactly(
            "immediate 1 data 102030405060708",
            "immediate 2 data ff solicited",
            "receive 3 done 0");
  }

  @ParameterizedTest
  @CsvSource({"48,01020304050607", "48,010203040506070809", "43,0102030405060708"})
  @Tag("RDMAPX-6-03")
  void aReceiveWithoutMemoryShouldTakeNothingElse(String control, String payload) {
    stream.postReceive(new StreamRequest(1));
    assertThat(rdmap.receive(untagged(Integer.parseInt(control, 16), 0, 1, payload)))
        .startsWith("receive 1 length error 0");
  }

  /** The last segment says which message it is. */
  @Test
  @Tag("RDMAPX-6-03")
  void aReceiveWithoutMemoryShouldTakeNoMessageThatOnlyBeginsAsImmediateData() {
    stream.postReceive(new StreamRequest(1));
    String first = untagged(0x48, 0, 1, "0102030405060708").replaceFirst("41", "01");
    assertThat(rdmap.receive(first, untagged(0x43, 0, 1, "")))
        .startsWith("receive 1 length error 0");
  }

  @Test
  @Tag("RDMAPX-6-03")
  void anEmptySegmentShouldNotChangeImmediateData() {
    stream.postReceive(new StreamRequest(1));
    String empty = untagged(0x48, 0, 1, "").replaceFirst("41", "01");
    assertThat(rdmap.receive(empty, untagged(0x48, 0, 1, "0102030405060708")))
        .containsExactly("immediate 1 data 102030405060708");
  }

  @Test
  @Tag("RDMAPX-6-04")
  void shouldSendTheNumberDirectlyBehindTheWrite() {
    rdmap.memory.put(0, new byte[2000]);
    assertThat(
            stream.postWriteImmediate(
                new StreamRequest(1)
                    .flags(RdmapFlags.SOLICITED)
                    .memory(address, 2000)
                    .remote(7, 16)
                    .immediate(DATA)))
        .isTrue();
    assertThat(
            stream.postWriteImmediate(
                new StreamRequest(2).memory(address, 0).remote(7, 0).immediate(1)))
        .isTrue();
    assertThat(stream.postSend(new StreamRequest(3).memory(address, 0))).isTrue();
    rdmap.run();
    assertThat(rdmap.user.events())
        .containsExactly("write 1 done 2000", "write 2 done 0", "send 3 done 0");
    assertThat(rdmap.sent())
        .satisfiesExactly(
            first -> assertThat(first).startsWith("8140" + "00000007" + "0000000000000010"),
            rest -> assertThat(rest).startsWith("c140" + "00000007" + "00000000000005a4"),
            number -> assertThat(number).isEqualTo(hex(untagged(0x49, 0, 1, "0102030405060708"))),
            empty -> assertThat(empty).isEqualTo("c140" + "00000007" + "0000000000000000"),
            one -> assertThat(one).isEqualTo(hex(untagged(0x48, 0, 2, "0000000000000001"))),
            send -> assertThat(send).isEqualTo(hex(untagged(0x43, 0, 3, ""))));
  }

  @Test
  void shouldFlushAWriteWithItsNumberOnce() {
    rdmap.tcp.setWindow(0);
    stream.postWriteImmediate(
        new StreamRequest(1).memory(address, 2000).remote(7, 16).immediate(DATA));
    stream.abort();
    assertThat(rdmap.user.events()).containsExactly("write 1 flushed 0", "closed ABORTED");
  }

  // ---- Our atomics ----

  @Test
  @Tag("RDMAPX-5.1-01") // 64 bits, and the old value
  @Tag("RDMAPX-5.2-01") // 52 octets on queue 1
  @Tag("RDMAPX-5.2-03") // the identifier comes back
  @Tag("RDMAPX-5.1.2-01") // the two operations
  @Tag("RDMAPX-4-01") // the opcodes
  @Tag("RDMAPX-5.2-07") // reserved bits are zero
  @Tag("RDMAPX-5.2-10") // the answer completes it
  @Tag("RDMAPX-4-03") // no STag to invalidate
  void shouldAskForAnAtomicAndTakeTheAnswer() {
    assertThat(
            stream.postFetchAdd(
                new StreamRequest(1).memory(address, 8).remote(7, 64).operands(5, 0, 0, -1)))
        .isTrue();
    assertThat(
            stream.postCompareSwap(
                new StreamRequest(2)
                    .memory(address + 8, 8)
                    .remote(7, 72)
                    .operands(0xaa, 0xff, 0xbb, 0xffffL << 48)))
        .isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).isEmpty();
    assertThat(rdmap.sent())
        .containsExactly(
            hex(
                untagged(
                    0x4a,
                    1,
                    1,
                    "00000000 00000000 00000007 0000000000000040 0000000000000005"
                        + "0000000000000000 0000000000000000 ffffffffffffffff")),
            hex(
                untagged(
                    0x4a,
                    1,
                    2,
                    "00000002 00000001 00000007 0000000000000048 00000000000000aa"
                        + "00000000000000ff 00000000000000bb ffff000000000000")));
    assertThat(rdmap.receive(untagged(0x4b, 3, 1, "00000000 0000000000000009")))
        .containsExactly("atomic 1 done 8");
    assertThat(Memory.getLongNative(address)).isEqualTo(9);
    assertThat(rdmap.receive(untagged(0x4b, 3, 2, "00000001 0102030405060708")))
        .containsExactly("atomic 2 done 8");
    assertThat(Memory.getLongNative(address + 8)).isEqualTo(DATA);
  }

  /** RFC 7306 reserves the number that a swap might have had. */
  @Test
  @Tag("RDMAPX-5.1.2-01")
  void shouldRequestASwapAsACompareSwapOfNoBits() {
    stream.postCompareSwap(
        new StreamRequest(1).memory(address, 8).remote(7, 64).operands(5, 0xff, 0, 0));
    rdmap.run();
    assertThat(rdmap.sent())
        .containsExactly(
            hex(
                untagged(
                    0x4a,
                    1,
                    1,
                    "00000002 00000000 00000007 0000000000000040 0000000000000005"
                        + "00000000000000ff 0000000000000000 0000000000000000")));
  }

  @Test
  @Tag("RDMAPX-5.3-01")
  void shouldCountAtomicsAsReadsWhereOrdIsConcerned() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink, 0, 1).remote(7, 0));
    stream.postCompareSwap(
        new StreamRequest(2).memory(address, 8).remote(7, 64).operands(5, -1, 0, 0));
    stream.postCompareSwap(
        new StreamRequest(3).memory(address, 8).remote(7, 64).operands(6, -1, 0, 0));
    rdmap.run();
    assertThat(rdmap.sent()).hasSize(RdmapFixture.ORD);
    assertThat(rdmap.receive("c142 %08x 0000000000000000 01".formatted(sink)))
        .containsExactly("read 1 done 1");
    assertThat(rdmap.sent()).hasSize(1);
    assertThat(
            rdmap.receive(
                untagged(0x4b, 3, 1, "00000000 0000000000000001"),
                untagged(0x4b, 3, 2, "00000001 0000000000000002")))
        .containsExactly("atomic 2 done 8", "atomic 3 done 8");
  }

  @ParameterizedTest
  @CsvSource({
    "00000001 0000000000000009, 0/2/255",
    "00000000 00000000000009, 0/2/255",
    "00000000 000000000000000009, 1/2/5"
  })
  @Tag("RDMAPX-5.2-03")
  @Tag("RDMAPX-5.2-10")
  void shouldRefuseAnAnswerToAnotherAtomic(String payload, String error) {
    stream.postFetchAdd(
        new StreamRequest(1).memory(address, 8).remote(7, 64).operands(5, 0, 0, -1));
    rdmap.run();
    assertThat(rdmap.receive(untagged(0x4b, 3, 1, payload)))
        .containsExactly("atomic 1 flushed 0", "error " + error);
  }

  @Test
  void shouldRefuseAnAnswerOfTheOtherKind() {
    assertThat(rdmap.receive(untagged(0x4b, 3, 1, "00000000 0000000000000009")))
        .containsExactly("error 0/2/6");
    RdmapFixture other = new RdmapFixture();
    other.stream.postFetchAdd(
        new StreamRequest(1).memory(other.memory.address(), 8).remote(7, 64).operands(5, 0, 0, -1));
    other.run();
    assertThat(other.receive("c142 00000000 0000000000000000"))
        .containsExactly("atomic 1 flushed 0", "error 0/2/6");
    RdmapFixture third = new RdmapFixture();
    int sink = third.register(AccessRights.LOCAL_WRITE);
    third.stream.postRead(new StreamRequest(1).local(sink, 0, 1).remote(7, 0));
    third.run();
    assertThat(third.receive(untagged(0x4b, 3, 1, "00000000 0000000000000009")))
        .containsExactly("read 1 flushed 0", "error 0/2/6");
  }

  // ---- The peer's atomics ----

  @Test
  @Tag("RDMAPX-5.1-01") // 64 bits, and the old value
  @Tag("RDMAPX-5.2-02") // 12 octets on queue 3
  @Tag("RDMAPX-5.2-03") // the identifier comes back
  @Tag("RDMAPX-5.3-02") // answers in order
  @Tag("RDMAPX-5-02") // both operations
  @Tag("RDMAPX-5.2-04") // the program is not asked
  @Tag("RDMAPX-5.2-06") // done in order
  void shouldAnswerAtomicsInOrder() {
    int stag = rdmap.register(AccessRights.REMOTE_ATOMIC);
    Memory.putLongNative(address + 64, 100);
    assertThat(
            rdmap.receive(
                request(1, 0, stag, 64, 5, 0, 0, 0),
                request(2, 2, stag, 64, 0x1234, 0xff00, 0, 0),
                request(3, 2, stag, 64, 9, -1, 0x1269, -1)))
        .isEmpty();
    assertThat(Memory.getLongNative(address + 64)).isEqualTo(9);
    assertThat(rdmap.sent())
        .containsExactly(
            hex(untagged(0x4b, 3, 1, "0000beef 0000000000000064")),
            hex(untagged(0x4b, 3, 2, "0000beef 0000000000000069")),
            hex(untagged(0x4b, 3, 3, "0000beef 0000000000001269")));
  }

  /** What was read before an atomic was asked for is read before it is done. */
  @Test
  @Tag("RDMAPX-5.3-02")
  void shouldDoAnAtomicAfterTheReadsBeforeIt() {
    int stag = rdmap.register(AccessRights.REMOTE_ATOMIC | AccessRights.REMOTE_READ);
    Memory.putLong(address + 64, DATA);
    assertThat(
            rdmap.receive(
                RdmapFixture.readRequest(1, 0xaaaa, 0, 8, stag, 64),
                request(2, 2, stag, 64, 0, -1, 0, 0)))
        .isEmpty();
    assertThat(rdmap.sent().getFirst())
        .isEqualTo("c142" + "0000aaaa" + "0".repeat(16) + "0102030405060708");
    assertThat(Memory.getLong(address + 64)).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "none, 64, 0, 0/1/0",
    "foreign, 64, 0, 0/1/3",
    "write, 64, 0, 0/1/2",
    "atomic, 8188, 0, 0/1/1",
    "atomic, -8, 0, 0/1/4",
    "atomic, -16, 0, 0/1/1",
    "atomic, 65, 0, 0/2/7",
    "atomic, 68, 2, 0/2/7",
    "atomic, 64, 1, 0/2/6",
    "atomic, 64, 3, 0/2/6"
  })
  @Tag("RDMAPX-5.1-02")
  @Tag("RDMAPX-5.1-03")
  @Tag("RDMAPX-5.1-04")
  @Tag("RDMAPX-8.1-01")
  void shouldRefuseAnAtomicThatThePeerMayNotDo(String which, long to, int opcode, String error) {
    int stag =
        switch (which) {
          case "foreign" -> rdmap.register(new ProtectionDomain("x"), AccessRights.ALL);
          case "write" -> rdmap.register(AccessRights.REMOTE_WRITE | AccessRights.REMOTE_READ);
          case "atomic" -> rdmap.register(AccessRights.REMOTE_ATOMIC);
          default -> 77;
        };
    String request = hex(request(1, opcode, stag, to, 1, 0, 0, 0));
    assertThat(rdmap.receive(request)).containsExactly("error " + error);
    rdmap.memory.assertUntouched();
    String[] numbers = error.split("/", -1);
    String control = numbers[0] + numbers[1] + "%02x".formatted(Integer.parseInt(numbers[2]));
    assertThat(rdmap.sent()).containsExactly(terminate(control, request));
  }

  @Test
  void shouldNotChangeMemoryInvalidatedBeforeTheAtomicRuns() {
    int stag = rdmap.register(AccessRights.REMOTE_ATOMIC | AccessRights.REMOTE_READ);
    rdmap.peer.send(RdmapFixture.readRequest(1, 0xaaaa, 0, 5000, stag, 0));
    rdmap.peer.send(request(2, 2, stag, 64, 0, -1, 0, 0));
    rdmap.tcp.run(() -> {});
    assertThat(rdmap.engine.send(4)).isEqualTo(4);
    rdmap.engine.taggedBuffers().invalidate(stag);
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("error 0/1/0");
    rdmap.memory.assertUntouched();
  }

  @Test
  void shouldRefuseAnAtomicOfAnotherLength() {
    assertThat(rdmap.receive(untagged(0x4a, 1, 1, "00"))).containsExactly("error 0/2/255");
  }

  @ParameterizedTest
  @CsvSource({
    // adding: carries over 64 bits, then stopped behind bit 7 and behind each bit
    "0, 255, 1, 0, 0, 0, 256",
    "0, 255, 1, 128, 0, 0, 0",
    "0, 511, 257, 32896, 0, 0, 512",
    "0, 5, 3, -1, 0, 0, 6",
    "0, -1, 1, 0, 0, 0, 0",
    "2, 255, 0, 240, 0, 0, 15",
    "2, 255, 7, -1, 0, 0, 7",
    "2, 255, 7, -1, 254, -1, 255",
    "2, 255, 7, -1, 254, 254, 7",
    "2, 255, 7, 1, 255, -1, 255",
    "2, 254, 7, 1, 0, 0, 255"
  })
  @Tag("RDMAPX-5.1.1-01")
  @Tag("RDMAPX-5.1.3-01")
  void shouldCalculateWithMasks(
      int opcode, long before, long data, long mask, long compare, long compareMask, long after) {
    byte[] octets = new byte[AtomicRequest.LENGTH];
    StreamRequest request = new StreamRequest().operands(data, mask, compare, compareMask);
    AtomicRequest.write(octets, opcode, 0, request);
    assertThat(AtomicRequest.result(octets, before)).isEqualTo(after);
  }

  // ---- Fences ----

  @Test
  @Tag("RDMAP-5.5-03")
  void shouldHoldAFencedRequestUntilTheReadsBeforeItAreAnswered() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postRead(new StreamRequest(1).local(sink, 0, 1).remote(7, 0));
    stream.postFetchAdd(
        new StreamRequest(2).memory(address + 8, 8).remote(7, 64).operands(5, 0, 0, -1));
    stream.postSend(new StreamRequest(3).flags(RdmapFlags.FENCED).memory(address, 0));
    stream.postSend(new StreamRequest(4).memory(address, 0));
    rdmap.run();
    assertThat(rdmap.sent()).hasSize(2);
    assertThat(rdmap.receive("c142 %08x 0000000000000000 01".formatted(sink)))
        .containsExactly("read 1 done 1");
    assertThat(rdmap.sent()).isEmpty();
    assertThat(rdmap.receive(untagged(0x4b, 3, 1, "00000000 0000000000000001")))
        .containsExactly("atomic 2 done 8", "send 3 done 0", "send 4 done 0");
    assertThat(rdmap.sent()).hasSize(2);
  }

  @Test
  @Tag("RDMAP-5.5-03")
  void shouldNotHoldAFencedRequestForReadsBehindIt() {
    int sink = rdmap.register(AccessRights.LOCAL_WRITE);
    stream.postWrite(new StreamRequest(1).flags(RdmapFlags.FENCED).memory(address, 1).remote(7, 0));
    stream.postRead(new StreamRequest(2).flags(RdmapFlags.FENCED).local(sink, 0, 1).remote(7, 0));
    stream.postRead(new StreamRequest(3).flags(RdmapFlags.FENCED).local(sink, 0, 1).remote(7, 0));
    rdmap.run();
    assertThat(rdmap.sent()).hasSize(2);
  }
}
