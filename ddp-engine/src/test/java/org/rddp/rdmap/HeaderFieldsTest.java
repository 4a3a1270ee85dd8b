package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.wire.Memory;

/** Fields of received headers: which are checked, and which are not looked at. */
class HeaderFieldsTest {
  private static final String READ = "00000009 0000000000000000 00000000 00000007 0000000000000000";

  private final RdmapFixture rdmap = new RdmapFixture();
  private final RdmapStream stream = rdmap.stream;
  private final long address = rdmap.memory.address();

  private static String atomic(int msn, String operation, int stag, String compare) {
    return "414a ffffffff 00000001 %08x 00000000".formatted(msn)
        + operation
        + "0000beef %08x 0000000000000008 0000000000000005 0000000000000000".formatted(stag)
        + compare;
  }

  /** Versions 0, 2 and 3; the stream's is 1. */
  @ParameterizedTest
  @CsvSource({
    "0, 3, 0, 01",
    "2, 3, 0, 01",
    "3, 4, 0, 01",
    "0, 5, 0, 01",
    "2, 6, 0, 01",
    "0, 1, 1, request",
    "2, 1, 1, request",
    "3, 1, 1, request",
    "0, 7, 2, 20020000",
    "2, 7, 2, 20020000",
    "3, 7, 2, 20020000",
    "0, 8, 0, 0000000000000001",
    "2, 9, 0, 0000000000000001",
    "3, 10, 1, 0000",
    "2, 11, 3, 000000000000000000000001"
  })
  @Tag("RDMAP-7.2-03")
  @Tag("RDMAP-4.1-02")
  @Tag("RDMAPX-8.2-01")
  void shouldRefuseAMessageOfAnotherVersion(int version, int opcode, int qn, String payload) {
    stream.postReceive(new StreamRequest(1).memory(address, 8));
    String octets = payload.equals("request") ? READ : payload;
    int control = version << 6 | opcode;
    assertThat(
            rdmap.receive("41%02x 00000000 %08x 00000001 00000000".formatted(control, qn) + octets))
        .containsExactly("receive 1 flushed 0", "error 0/2/5");
    rdmap.memory.assertUntouched();
  }

  /** The STag exists, is for this stream only, and stays. */
  @ParameterizedTest
  @CsvSource({"3, done 8", "5, done 8 solicited", "8, data 7", "9, data 7 solicited"})
  @Tag("RDMAP-4.1-06")
  @Tag("RDMAPX-4-03")
  void shouldInvalidateNothingByOtherMessagesForAProgram(int opcode, String event) {
    int stag = rdmap.registerForStream(AccessRights.ALL);
    stream.postReceive(new StreamRequest(1).memory(address, 8));
    assertThat(
            rdmap.receive(
                "414%x %08x 00000000 00000001 00000000 0000000000000007".formatted(opcode, stag)))
        .singleElement()
        .asString()
        .endsWith("1 " + event);
    assertThat(rdmap.engine.taggedBuffers().lookup(stag)).isNotNull();
  }

  @Test
  @Tag("RDMAP-4.1-06")
  @Tag("RDMAPX-4-03")
  void shouldInvalidateNothingByRequestsAndAnswers() {
    int stag = rdmap.registerForStream(AccessRights.ALL);
    stream.postFetchAdd(new StreamRequest(1).memory(address, 8).remote(7, 8));
    rdmap.run();
    assertThat(rdmap.sent())
        .singleElement()
        .asString()
        .startsWith("414a" + "00000000" + "00000001");
    assertThat(
            rdmap.receive(
                "4141 %08x 00000001 00000001 00000000".formatted(stag) + READ,
                "414b %08x 00000003 00000001 00000000 00000000 0000000000000002".formatted(stag)))
        .containsExactly("atomic 1 done 8");
    assertThat(rdmap.sent()).containsExactly("c142" + "00000009" + "0000000000000000");
    assertThat(rdmap.receive("4147 %08x 00000002 00000001 00000000 20020000".formatted(stag)))
        .containsExactly("error 2/0/2");
    assertThat(rdmap.engine.taggedBuffers().lookup(stag)).isNotNull();
  }

  /** The 28 bits before the operation, and for FetchAdd both compare fields. */
  @Test
  @Tag("RDMAPX-5.2-07")
  void shouldNotLookAtUnusedFieldsOfAnAtomicRequest() {
    int stag = rdmap.register(AccessRights.REMOTE_ATOMIC);
    Memory.putLongNative(address + 8, 100);
    String compare = "123456789abcdef0 0fedcba987654321";
    assertThat(rdmap.receive(atomic(1, "fffffff0", stag, compare))).isEmpty();
    assertThat(Memory.getLongNative(address + 8)).isEqualTo(105);
    assertThat(rdmap.sent())
        .containsExactly(
            "414b"
                + "00000000"
                + "00000003"
                + "00000001"
                + "00000000"
                + "0000beef"
                + "0000000000000064");
  }

  /** The buffer begins at Tagged Offset 3, and the eight octets lie at an aligned address. */
  @Test
  @Tag("RDMAP-5.1-06")
  @Tag("RDMAPX-5.1-05")
  void shouldTakeAnyTaggedOffsetForTheBeginningOfABuffer() {
    int rights = AccessRights.REMOTE_ATOMIC | AccessRights.REMOTE_WRITE;
    int stag =
        rdmap
            .engine
            .taggedBuffers()
            .register(rdmap.domain, null, address, rdmap.memory.length(), 3, rights);
    Memory.putLongNative(address + 16, 7);
    String add = "414a 00000000 00000001 00000001 00000000 00000000 0000beef %08x".formatted(stag);
    String operands = "0000000000000002" + "00".repeat(16) + "ff".repeat(8);
    assertThat(
            rdmap.receive(
                add + "0000000000000013" + operands,
                "c140 %08x 0000000000000004 6677".formatted(stag)))
        .isEmpty();
    assertThat(Memory.getLongNative(address + 16)).isEqualTo(9);
    assertThat(Memory.bytes(address + 1, 2)).containsExactly(0x66, 0x77);
  }
}
