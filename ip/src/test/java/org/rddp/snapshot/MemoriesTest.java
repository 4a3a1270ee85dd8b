package org.rddp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.snapshot.Memories.Range;

class MemoriesTest {
  private final Memories written = new Memories(List.of(new Range(9000, 100), new Range(500, 50)));

  private byte[] write(long address, long octets) {
    SnapshotWriter writer = new SnapshotWriter();
    writer.begin(MemoriesTest.class);
    assertThat(written.transfer(writer, "place", address, octets)).isEqualTo(address);
    writer.end();
    return writer.finish();
  }

  private static long read(byte[] snapshot, long octets, Range... memories) {
    SnapshotReader reader = new SnapshotReader(snapshot);
    reader.begin(MemoriesTest.class);
    long address = new Memories(List.of(memories)).transfer(reader, "place", 1, octets);
    reader.end();
    reader.finish();
    return address;
  }

  @Test
  void shouldFindTheOctetsWhereTheReaderHasTheMemory() {
    Range first = new Range(100, 100);
    Range second = new Range(7000, 50);
    assertThat(read(write(9000, 100), 100, first, second)).isEqualTo(100);
    assertThat(read(write(510, 40), 40, first, second)).isEqualTo(7010);
    assertThat(read(write(0, 8), 8, first, second)).isZero();
  }

  @Test
  void shouldWriteNoAddressThatIsInNoMemory() {
    for (long address : new long[] {499, 511, 8999, 9061}) {
      assertThatThrownBy(() -> write(address, 40))
          .as("%d", address)
          .isInstanceOf(SnapshotException.class)
          .hasMessage("the state cannot be written: place is in none of the memories");
    }
  }

  @Test
  void shouldReadNoRangeThatExceedsItsMemory() {
    byte[] snapshot = write(510, 40);
    assertThatThrownBy(() -> read(snapshot, 40, new Range(100, 100), new Range(7000, 49)))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("40 octets of place exceed memory 1");
    assertThatThrownBy(() -> read(snapshot, 40, new Range(100, 100)))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("place 1 is not -1 to 0");
  }
}
