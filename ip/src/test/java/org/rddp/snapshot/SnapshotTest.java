package org.rddp.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.wire.Memory;

/** What is written is read, and nothing else: docs/handover.md. */
class SnapshotTest {
  private enum Colour {
    RED,
    BLUE
  }

  /** A record of all that records may have. */
  public record Choices(
      int depth,
      long time,
      boolean on,
      String name,
      Colour colour,
      Set<Colour> all,
      List<Integer> numbers,
      Inner in) {}

  /** A record in a record. */
  public record Inner(int depth) {
    /** Refuses negative depths. */
    public Inner {
      if (depth < 0) {
        throw new IllegalArgumentException("depth " + depth + " is negative");
      }
    }
  }

  /** Counters with one that is not published by its field. */
  public static final class Counts {
    /** A counter. */
    public long first;

    /** Another. */
    public long second;
  }

  private final SnapshotWriter writer = new SnapshotWriter();

  /** A snapshot of a few fields of one object. */
  private byte[] small() {
    writer.begin(SnapshotTest.class);
    writer.number("port", 7);
    writer.flag("open", true);
    writer.text("name", "eth0");
    writer.end();
    return writer.finish();
  }

  private static void readSmall(Snapshot reader) {
    reader.begin(SnapshotTest.class);
    assertThat(reader.number("port", 0)).isEqualTo(7);
    assertThat(reader.flag("open", false)).isTrue();
    assertThat(reader.text("name", null)).isEqualTo("eth0");
    reader.end();
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, -1, 63, 64, -64, -65, 127, 128, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE})
  void shouldReadEveryNumber(long value) {
    writer.begin(SnapshotTest.class);
    writer.number("wide", value);
    writer.number("int", (int) value);
    writer.number("short", (short) value);
    writer.number("byte", (byte) value);
    writer.number("char", (char) value);
    writer.end();
    SnapshotReader reader = new SnapshotReader(writer.finish());
    reader.begin(SnapshotTest.class);
    assertThat(reader.number("wide", 0L)).isEqualTo(value);
    assertThat(reader.number("int", 0)).isEqualTo((int) value);
    assertThat(reader.number("short", (short) 0)).isEqualTo((short) value);
    assertThat(reader.number("byte", (byte) 0)).isEqualTo((byte) value);
    assertThat(reader.number("char", (char) 0)).isEqualTo((char) value);
    reader.end();
    reader.finish();
  }

  @Test
  void shouldReadTextsConstantsOctetsCountersAndReferences() {
    long address = Memory.allocate(8);
    Memory.putLong(address, 0x0102030405060708L);
    Counts counts = new Counts();
    counts.second = 5;
    References<String> names = new References<>(List.of("a", "b"));
    writer.begin(SnapshotTest.class);
    writer.text("none", null);
    writer.constant("colour", Colour.class, Colour.BLUE);
    writer.constantOrNull("noColour", Colour.class, null);
    writer.octets("payload", address, 8);
    writer.counters(counts);
    names.transfer(writer, "one", "b");
    names.transfer(writer, "other", null);
    writer.end();
    SnapshotReader reader = new SnapshotReader(writer.finish());
    reader.begin(SnapshotTest.class);
    assertThat(reader.text("none", "")).isNull();
    assertThat(reader.constant("colour", Colour.class, Colour.RED)).isEqualTo(Colour.BLUE);
    assertThat(reader.constantOrNull("noColour", Colour.class, Colour.RED)).isNull();
    Memory.putLong(address, 0);
    reader.octets("payload", address, 8);
    assertThat(Memory.getLong(address)).isEqualTo(0x0102030405060708L);
    Counts read = new Counts();
    reader.counters(read);
    assertThat(read.second).isEqualTo(5);
    assertThat(names.transfer(reader, "one", null)).isEqualTo("b");
    assertThat(names.transfer(reader, "other", "a")).isNull();
    reader.end();
    reader.finish();
  }

  @Test
  void shouldReadRecords() {
    Choices choices =
        new Choices(
            1,
            1L << 40,
            true,
            "é".repeat(200),
            Colour.BLUE,
            Set.of(Colour.RED),
            List.of(7, -1),
            new Inner(2));
    writer.begin(SnapshotTest.class);
    writer.record("choices", Choices.class, choices);
    writer.record("none", Choices.class, null);
    writer.octets("data", new byte[] {1, 2});
    writer.octets("noData", null);
    writer.end();
    SnapshotReader reader = new SnapshotReader(writer.finish());
    reader.begin(SnapshotTest.class);
    assertThat(reader.record("choices", Choices.class, null)).isEqualTo(choices);
    assertThat(reader.record("none", Choices.class, choices)).isNull();
    assertThat(reader.octets("data", null)).containsExactly(1, 2);
    assertThat(reader.octets("noData", new byte[0])).isNull();
    reader.end();
    reader.finish();
  }

  @Test
  void shouldSayWhyARecordIsRefused() {
    writer.begin(SnapshotTest.class);
    writer.flag("in", true);
    writer.begin(Inner.class);
    writer.number("depth", -1);
    writer.end();
    writer.end();
    SnapshotReader reader = new SnapshotReader(writer.finish());
    reader.begin(SnapshotTest.class);
    assertThatThrownBy(() -> reader.record("in", Inner.class, null))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("in SnapshotTest: in: depth -1 is negative");
  }

  @Test
  void shouldMissConstantsThatAreNone() {
    writer.begin(SnapshotTest.class);
    writer.constantOrNull("colour", Colour.class, null);
    writer.end();
    SnapshotReader reader = new SnapshotReader(writer.finish());
    reader.begin(SnapshotTest.class);
    assertThatThrownBy(() -> reader.constant("colour", Colour.class, Colour.RED))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining("colour is missing");
  }

  @Test
  void shouldRefuseFormerFormatsByName() {
    byte[] octets = small();
    ByteBuffer.wrap(octets).putInt(8, Snapshot.FORMAT - 1);
    assertThatThrownBy(() -> new SnapshotReader(octets))
        .isInstanceOf(SnapshotException.class)
        .hasMessage(
            "the snapshot is of format %d, and this program reads only format %d",
            Snapshot.FORMAT - 1, Snapshot.FORMAT);
  }

  @Test
  void shouldRefuseSnapshotsThatAreCutOff() {
    byte[] octets = small();
    for (int length = 0; length < octets.length; length++) {
      byte[] part = Arrays.copyOf(octets, length);
      assertThatThrownBy(() -> new SnapshotReader(part)).isInstanceOf(SnapshotException.class);
    }
  }

  @Test
  void shouldRefuseEveryChangedBit() {
    byte[] octets = small();
    for (int bit = 0; bit < octets.length * 8; bit++) {
      byte[] changed = octets.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> new SnapshotReader(changed))
          .as("bit %d", bit)
          .isInstanceOf(SnapshotException.class);
    }
  }

  @Test
  void shouldReadWhatWasWritten() {
    SnapshotReader reader = new SnapshotReader(small());
    readSmall(reader);
    reader.finish();
  }

  private static Arguments of(String message, Consumer<SnapshotReader> reading) {
    return Arguments.of(message, reading);
  }

  static Stream<Arguments> contradictions() {
    return Stream.of(
        of("instead of Arrays there is SnapshotTest", reader -> reader.begin(Arrays.class)),
        of("instead of port there is an object", reader -> reader.number("port", 0)),
        of(
            "in SnapshotTest: instead of window there is port",
            reader -> {
              reader.begin(SnapshotTest.class);
              reader.number("window", 0);
            }),
        of(
            "instead of port there is a number",
            reader -> {
              reader.begin(SnapshotTest.class);
              reader.text("port", "");
            }),
        of(
            "instead of the end of SnapshotTest there is a number",
            reader -> {
              reader.begin(SnapshotTest.class);
              reader.end();
            }),
        of(
            "port 7 is not 8 to 9",
            reader -> {
              reader.begin(SnapshotTest.class);
              reader.number("port", 0, 8, 9);
            }),
        of("more octets than expected", SnapshotReader::finish),
        of(
            "it ends there",
            reader -> {
              readSmall(reader);
              reader.begin(SnapshotTest.class);
            }));
  }

  @ParameterizedTest
  @MethodSource("contradictions")
  void shouldSayWhatIsThereInstead(String message, Consumer<SnapshotReader> reading) {
    SnapshotReader reader = new SnapshotReader(small());
    assertThatThrownBy(() -> reading.accept(reader))
        .isInstanceOf(SnapshotException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldKnowTheFieldsThatWereWritten() {
    small();
    assertThat(writer.fields().get("SnapshotTest")).containsExactly("name", "open", "port");
  }
}
