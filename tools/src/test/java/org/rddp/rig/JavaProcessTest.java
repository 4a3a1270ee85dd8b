package org.rddp.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JavaProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  @TempDir private Path folder;

  /** Prints digits faster than they are read, and keeps in a file how many it has printed. */
  static final class Printer {
    private static final byte[] LINES =
        "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n".repeat(1000).getBytes(StandardCharsets.US_ASCII);

    private Printer() {}

    public static void main(String[] arguments) throws IOException {
      try (OutputStream output = new FileOutputStream(FileDescriptor.out);
          RandomAccessFile file = new RandomAccessFile(arguments[0], "rw")) {
        for (int printed = 0; ; ) {
          output.write(LINES);
          printed += LINES.length / 2;
          file.seek(0);
          file.writeInt(printed);
        }
      }
    }
  }

  @Test
  void shouldPassOnAllThatAProcessHasPrintedBeforeItWasKilled() throws Exception {
    Path file = folder.resolve("printed");
    JavaProcess printer =
        new JavaProcess(
            "printer", null, List.of(), Printer.class.getName(), List.of(file.toString()));
    try {
      for (int i = 0; i < Printer.LINES.length; i++) {
        printer.readLine(PATIENCE);
      }
      printer.kill();
      assertThat(printer.awaitEnd(PATIENCE)).isTrue();
    } finally {
      printer.close();
    }

    List<String> rest = printer.restOfOutput();

    try (RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r")) {
      int left = reader.readInt() - Printer.LINES.length;
      assertThat(rest).hasSizeGreaterThanOrEqualTo(left);
      for (int i = 0; i < left; i++) {
        assertThat(rest.get(i)).isEqualTo(Integer.toString(i % 10));
      }
    }
  }
}
