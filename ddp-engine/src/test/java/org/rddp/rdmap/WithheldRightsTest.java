package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ddp.memory.AccessRights;

/** Rights that a stream withholds from its peer although the STag grants all. */
class WithheldRightsTest {
  private final RdmapFixture rdmap = new RdmapFixture();
  private final int stag = rdmap.register(AccessRights.ALL);

  @ParameterizedTest
  @CsvSource({
    "write, 4, error 1/1/0",
    "read, 2, error 0/1/2",
    "atomic, 8, error 0/1/2",
    "write, 10,",
    "read, 12,",
    "atomic, 6,",
  })
  void shouldRefuseWhatNeedsThem(String message, int withheld, String error) {
    rdmap.stream.withhold(withheld);
    String request =
        switch (message) {
          case "write" -> "c140 %08x 0000000000000000 0a0b0c".formatted(stag);
          case "read" -> RdmapFixture.readRequest(1, 0xaaaa, 0, 8, stag, 0);
          default ->
              ("414a 00000000 00000001 00000001 00000000"
                      + "00000000 0000beef %08x 0000000000000000 0000000000000001"
                      + "0000000000000000 0000000000000000 0000000000000000")
                  .formatted(stag);
        };
    if (error == null) {
      assertThat(rdmap.receive(request)).isEmpty();
    } else {
      assertThat(rdmap.receive(request)).containsExactly(error);
      rdmap.memory.assertUntouched();
    }
  }
}
