package org.rddp.daemon;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.rddp.ip.AssociationDatabase;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.HostAddress;
import org.rddp.ip.esp.EspSuite;

/**
 * Associations with keys by hand, for tests and closed networks. A line of the file is an SPI,
 * source and destination, {@code transport} or {@code tunnel}, the algorithms, and the keys in
 * hexadecimal; # begins a comment.
 *
 * <p>Keys serve one start of the daemon only: before anything is sent, their hashes are written to
 * a file beside, and a later start with one of them is refused. So no sequence number is ever used
 * twice with one key (RFC 4106 section 2).
 */
final class KeyFile {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rwx------");

  /** Octets of the largest file. */
  private static final int MOST = 1 << 20;

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final int HEXADECIMAL = 16;
  private static final int FIELDS = 6;

  private final Path file;
  private final Path usedFile;
  private final List<HostAddress> ours;
  private final Set<String> used = new HashSet<>();
  private final List<String> fresh = new ArrayList<>();

  /** Octets of the whole lines of the record. */
  private int recorded;

  /**
   * Names a file.
   *
   * @param ours every address of the interface
   */
  KeyFile(Path file, List<HostAddress> ours) {
    this.file = file;
    this.ours = List.copyOf(ours);
    usedFile = file.resolveSibling(file.getFileName() + ".used");
  }

  /**
   * Adds the file's associations, and records that its keys are used.
   *
   * @param now the engine's time in ns
   * @throws IOException if a line cannot be used, a key was used by an earlier start, others may
   *     read the file, or it or the record cannot be read or written; the message says which
   */
  void addTo(AssociationDatabase database, long now) throws IOException {
    requireSecrecy(); // DDP-8.4.2-14, RDMAP-8.2.2-15
    if (Files.exists(usedFile)) {
      readRecord();
    }
    byte[] text = Files.readAllBytes(file);
    try {
      int line = 0;
      for (int from = 0; from < text.length; ) {
        int end = from;
        while (end < text.length && text[end] != '\n') {
          end++;
        }
        line++;
        try {
          addLine(text, from, end, database, now);
        } catch (IllegalArgumentException | IllegalStateException e) {
          throw new IOException(file + ":" + line + ": " + e.getMessage(), e);
        }
        from = end + 1;
      }
    } finally {
      Arrays.fill(text, (byte) 0);
    }
    record();
  }

  /**
   * Reads the record. What follows its last line is of a start that was interrupted here, before it
   * could send anything; {@link #record} removes it.
   */
  private void readRecord() throws IOException {
    String text = Files.readString(usedFile, ISO_8859_1);
    recorded = text.lastIndexOf('\n') + 1;
    for (String line : text.substring(0, recorded).lines().toList()) {
      if (!HASH.matcher(line).matches()) {
        throw new IOException(
            "%s: the record of used keys is damaged, so it cannot tell which were used: put new keys at both ends, and delete it"
                .formatted(usedFile));
      }
      used.add(line);
    }
  }

  private void requireSecrecy() throws IOException {
    Set<PosixFilePermission> granted = Files.getPosixFilePermissions(file);
    if (!OWNER.containsAll(granted)) {
      throw new IOException(
          "%s: others than its owner may use it (%s): chmod 600, and put new keys into it"
              .formatted(file, PosixFilePermissions.toString(granted)));
    }
    int owner = uid(file);
    if (owner != 0 && owner != uid(Path.of("/proc/self"))) {
      throw new IOException(
          "%s: belongs to user %d; chown it to the daemon's user, and put new keys into it"
              .formatted(file, owner));
    }
    if (Files.size(file) > MOST) {
      throw new IOException(file + ": longer than " + MOST + " octets");
    }
  }

  private static int uid(Path path) throws IOException {
    return (int) Files.getAttribute(path, "unix:uid");
  }

  /** Adds the association of a line. The keys, its last field, become no text. */
  private void addLine(byte[] text, int from, int end, AssociationDatabase database, long now) {
    List<int[]> fields = new ArrayList<>();
    for (int at = from; at < end && text[at] != '#'; ) {
      int begin = at;
      while (at < end && text[at] > ' ' && text[at] != '#') {
        at++;
      }
      if (at > begin) {
        fields.add(new int[] {begin, at});
      } else {
        at++;
      }
    }
    if (fields.isEmpty()) {
      return;
    }
    if (fields.size() != FIELDS) {
      throw new IllegalArgumentException(
          "%d fields; a line has %d: SPI, source, destination, transport or tunnel, algorithms, keys"
              .formatted(fields.size(), FIELDS));
    }
    byte[] keys = keys(text, fields.getLast());
    try {
      String hash = hash(keys);
      if (used.contains(hash)) {
        throw new IllegalStateException(
            "its keys were used before this start of the daemon; numbers that are used again with"
                + " them tell what was sent: put new keys at both ends");
      }
      database.add(settings(text, fields), keys, 0, now);
      fresh.add(hash);
    } finally {
      Arrays.fill(keys, (byte) 0);
    }
  }

  private AssociationSettings settings(byte[] text, List<int[]> fields) {
    String mode = field(text, fields.get(3));
    if (!mode.equals("tunnel") && !mode.equals("transport")) {
      throw new IllegalArgumentException("the mode is transport or tunnel, not " + mode);
    }
    String algorithms = field(text, fields.get(4));
    EspSuite suite =
        EspSuite.of(algorithms)
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "algorithms are one of %s, not %s".formatted(EspSuite.names(), algorithms)));
    HostAddress source = HostAddress.parse(field(text, fields.get(1)));
    HostAddress destination = HostAddress.parse(field(text, fields.get(2)));
    return AssociationSettings.usual(
        spi(field(text, fields.getFirst())),
        source,
        destination,
        mode.equals("tunnel"),
        suite,
        ours.contains(destination) ? source : destination);
  }

  private static int spi(String text) {
    try {
      return text.startsWith("0x")
          ? Integer.parseUnsignedInt(text, 2, text.length(), HEXADECIMAL)
          : Integer.parseUnsignedInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "an SPI is 256 to 4294967295, or 0x100 to 0xffffffff, not " + text, e);
    }
  }

  private static String field(byte[] text, int[] place) {
    return new String(text, place[0], place[1] - place[0], US_ASCII);
  }

  private static byte[] keys(byte[] text, int[] place) {
    int digits = place[1] - place[0];
    if (digits % 2 != 0) {
      throw new IllegalArgumentException(
          "the keys have %d hexadecimal digits; it must be an even number".formatted(digits));
    }
    byte[] keys = new byte[digits / 2];
    for (int i = 0; i < digits; i++) {
      int digit = Character.digit(text[place[0] + i], HEXADECIMAL);
      if (digit < 0) {
        Arrays.fill(keys, (byte) 0);
        throw new IllegalArgumentException("the keys are hexadecimal digits, without 0x");
      }
      keys[i / 2] |= (byte) (i % 2 == 0 ? digit << 4 : digit);
    }
    return keys;
  }

  private static String hash(byte[] keys) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(keys));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Makes the record of used keys last, also if the machine loses its power. */
  private void record() throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                usedFile,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rw-------")));
        FileChannel folder = FileChannel.open(usedFile.toAbsolutePath().getParent())) {
      channel.truncate(recorded).position(recorded);
      ByteBuffer lines =
          US_ASCII.encode(fresh.stream().map(each -> each + "\n").collect(Collectors.joining()));
      while (lines.hasRemaining()) {
        int ignored = channel.write(lines);
      }
      channel.force(true);
      folder.force(true);
    } catch (IOException e) {
      throw new IOException(
          "%s: the record of used keys cannot be written: %s".formatted(usedFile, e), e);
    }
  }
}
