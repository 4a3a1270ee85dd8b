package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.memory.AddressPieces;
import org.rddp.ddp.memory.StreamRequest;

/** Messages that lie in pieces of memory, at either end. */
class ScatterTest {
  private final RdmapFixture rdmap = new RdmapFixture();
  private final RdmapStream stream = rdmap.stream;
  private final long address = rdmap.memory.address();
  private final AddressPieces list = new AddressPieces();

  @Test
  @Tag("RDMAP-5.1-04")
  void shouldCutEachPieceByItself() {
    byte[] octets = new byte[3000];
    new Random(1).nextBytes(octets);
    rdmap.memory.put(0, octets);
    list.add(address + 100, 3).add(0, 0).add(address, 1500).add(address + 200, 1);
    assertThat(stream.postWrite(new StreamRequest(1).memory(list).remote(7, 16))).isTrue();
    assertThat(
            stream.postSend(
                new StreamRequest(2)
                    .flags(RdmapFlags.SOLICITED)
                    .memory(list.clear().add(address, 2))))
        .isTrue();
    assertThat(stream.postSend(new StreamRequest(3).memory(list.clear()))).isTrue();
    rdmap.run();
    assertThat(rdmap.user.events())
        .containsExactly("write 1 done 1504", "send 2 done 2", "send 3 done 0");
    byte[] written = new byte[1504];
    System.arraycopy(octets, 100, written, 0, 3);
    System.arraycopy(octets, 0, written, 3, 1500);
    written[1503] = octets[200];
    byte[] got = new byte[1504];
    int[] sizes = {3, 1428, 72, 1};
    int at = 0;
    for (int i = 0; i < sizes.length; i++) {
      byte[] ulpdu = rdmap.peer.received().get(i);
      assertThat(ulpdu).hasSize(14 + sizes[i]);
      assertThat(ulpdu[0]).as("last").isEqualTo((byte) (i == 3 ? 0xc1 : 0x81));
      assertThat(ulpdu[5]).as("STag").isEqualTo((byte) 7);
      assertThat(ulpdu[13]).as("Tagged Offset").isEqualTo((byte) (16 + at));
      System.arraycopy(ulpdu, 14, got, at, sizes[i]);
      at += sizes[i];
    }
    assertThat(got).isEqualTo(written);
    assertThat(rdmap.sent().subList(4, 6))
        .containsExactly(
            "4145" + "00000000" + "00000000" + "00000001" + "00000000" + hex(octets, 2),
            "4143" + "00000000" + "00000000" + "00000002" + "00000000");
  }

  @Test
  @Tag("RDMAPX-6-04")
  void shouldSendANumberBehindPieces() {
    rdmap.memory.put(0, new byte[] {1, 2, 3, 4, 5});
    list.add(address, 2).add(address + 4, 1);
    assertThat(
            stream.postWriteImmediate(
                new StreamRequest(1).memory(list).remote(7, 16).immediate(0x99)))
        .isTrue();
    assertThat(
            stream.postWriteImmediate(
                new StreamRequest(2).memory(list.clear()).remote(7, 0).immediate(0x98)))
        .isTrue();
    rdmap.run();
    assertThat(rdmap.user.events()).containsExactly("write 1 done 3", "write 2 done 0");
    assertThat(rdmap.sent())
        .containsExactly(
            "8140" + "00000007" + "0000000000000010" + "0102",
            "c140" + "00000007" + "0000000000000012" + "05",
            "4148" + "00000000" + "00000000" + "00000001" + "00000000" + "0000000000000099",
            "c140" + "00000007" + "0000000000000000",
            "4148" + "00000000" + "00000000" + "00000002" + "00000000" + "0000000000000098");
  }

  private static String hex(byte[] octets, int count) {
    return java.util.HexFormat.of().formatHex(octets, 0, count);
  }

  @Test
  void shouldPlaceIntoPieces() {
    list.add(address + 10, 3).add(address + 100, 1).add(address + 50, 4);
    assertThat(stream.postReceive(new StreamRequest(1).memory(list))).isTrue();
    assertThat(
            rdmap.receive(
                "0143 00000000 00000000 00000001 00000002 030405",
                "0143 00000000 00000000 00000001 00000000 0102",
                "4143 00000000 00000000 00000001 00000005 0607"))
        .containsExactly("receive 1 done 7");
    byte[] model = new byte[rdmap.memory.length()];
    Arrays.fill(model, GuardedMemory.POISON);
    System.arraycopy(new byte[] {1, 2, 3}, 0, model, 10, 3);
    model[100] = 4;
    System.arraycopy(new byte[] {5, 6, 7}, 0, model, 50, 3);
    rdmap.memory.assertHolds(model);
  }

  @Test
  void shouldNotPlaceBeyondTheLastPiece() {
    stream.postReceive(new StreamRequest(1).memory(list.add(address, 3).add(address + 100, 3)));
    assertThat(rdmap.receive("4143 00000000 00000000 00000001 00000000 01020304050607"))
        .containsExactly("receive 1 length error 0", "error 1/2/5");
    rdmap.memory.assertUntouched();
  }

  @Test
  void shouldReadImmediateDataOutOfPieces() {
    stream.postReceive(new StreamRequest(1).memory(list.add(address, 3).add(address + 100, 5)));
    stream.postReceive(new StreamRequest(2).memory(list.clear().add(address, 9)));
    assertThat(
            rdmap.receive(
                "4148 00000000 00000000 00000001 00000000 0102030405060708",
                "4148 00000000 00000000 00000002 00000000 1112131415161718"))
        .containsExactly("immediate 1 data 102030405060708", "immediate 2 data 1112131415161718");
  }

  @Test
  void shouldForgetThePiecesOfTheMessageBefore() {
    for (int i = 0; i < 2 * RdmapFixture.SEND_DEPTH; i++) {
      if (i % 2 == 0) {
        stream.postSend(
            new StreamRequest(i).memory(list.clear().add(address, 1).add(address + 9, 1)));
      } else {
        stream.postSend(new StreamRequest(i).memory(address, 5));
      }
      rdmap.run();
      assertThat(rdmap.sent()).hasSize(i % 2 == 0 ? 2 : 1);
    }
  }

  @Test
  void shouldTakeNoMorePiecesThanAProgramMayName() {
    for (int i = 0; i < AddressPieces.MOST; i++) {
      list.add(address, 1);
    }
    assertThat(list.length()).isEqualTo(6);
    assertThatThrownBy(() -> list.add(address, 1)).isInstanceOf(IllegalStateException.class);
    list.clear().add(address, 0xffff_ffffL).add(address, 1);
    assertThat(stream.postSend(new StreamRequest(1).memory(list))).isTrue();
    assertThat(stream.postReceive(new StreamRequest(2).memory(list))).isTrue();
    assertThat(rdmap.user.events())
        .containsExactly("send 1 length error 0", "receive 2 length error 0");
  }
}
