package org.rddp.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * The inputs that are kept for one target: a ZIP archive, sorted by name, not compressed and
 * without times, so that the same inputs give the same octets and Git stores only what has changed.
 */
public final class SeedArchive {
  private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  /** Names that Jazzer gives its inputs; findings have others. */
  private static final String NAMED_BY_JAZZER = "[0-9a-f]+";

  private SeedArchive() {}

  /**
   * The inputs of an archive by name, in the order of their names; none if there is no such file.
   */
  public static Map<String, byte[]> read(Path archive) throws IOException {
    Map<String, byte[]> inputs = new TreeMap<>();
    if (Files.exists(archive)) {
      try (InputStream file = Files.newInputStream(archive);
          ZipInputStream zip = new ZipInputStream(file)) {
        ZipEntry entry = zip.getNextEntry();
        while (entry != null) {
          inputs.put(entry.getName(), zip.readAllBytes());
          entry = zip.getNextEntry();
        }
      }
    }
    return inputs;
  }

  /** Replaces an archive. */
  static void write(Path archive, Map<String, byte[]> inputs) throws IOException {
    try (OutputStream file = Files.newOutputStream(archive);
        ZipOutputStream zip = new ZipOutputStream(file)) {
      zip.setMethod(ZipOutputStream.STORED);
      for (Map.Entry<String, byte[]> input : new TreeMap<>(inputs).entrySet()) {
        zip.putNextEntry(entry(input.getKey(), input.getValue()));
        zip.write(input.getValue());
        zip.closeEntry();
      }
    }
  }

  private static ZipEntry entry(String name, byte[] octets) {
    CRC32 crc = new CRC32();
    crc.update(octets);
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(NO_TIME);
    entry.setSize(octets.length);
    entry.setCrc(crc.getValue());
    return entry;
  }

  /**
   * Called by {@code rddp fuzz}: {@code unpack ARCHIVE DIRECTORY}, {@code replace ARCHIVE
   * DIRECTORY} (the inputs that Jazzer has named, by those of a directory) or {@code add ARCHIVE
   * FILE}.
   */
  public static void main(String[] arguments) throws IOException {
    Path archive = Path.of(arguments[1]);
    Path other = Path.of(arguments[2]);
    Map<String, byte[]> inputs = read(archive);
    switch (arguments[0]) {
      case "unpack" -> {
        Files.createDirectories(other);
        for (Map.Entry<String, byte[]> input : inputs.entrySet()) {
          Files.write(other.resolve(input.getKey()), input.getValue());
        }
        return;
      }
      case "replace" -> {
        inputs.keySet().removeIf(name -> name.matches(NAMED_BY_JAZZER));
        for (Path file : files(other)) {
          inputs.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
      }
      case "add" -> inputs.put(other.getFileName().toString(), Files.readAllBytes(other));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    write(archive, inputs);
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }
}
