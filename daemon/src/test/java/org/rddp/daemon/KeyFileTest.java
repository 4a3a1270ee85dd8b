package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.ip.AssociationDatabase;
import org.rddp.ip.HostAddress;
import org.rddp.ip.UsedKeys;
import org.rddp.ip.esp.JceCiphers;

/** Associations from a file: who may read it, and that no start uses the keys of another. */
@Timeout(120)
class KeyFileTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int PORT = 7471;
  private static final List<HostAddress> OURS = List.of(HostAddress.parse("10.0.0.1"));

  private static final String LINES =
      """
      # Both directions between the two hosts.
      0x1001 10.0.0.1 10.0.0.2 transport aes128gcm16 000102030405060708090a0b0c0d0e0f10111213

      4098\t10.0.0.2  10.0.0.1 tunnel aes128-sha1 %s # the way back
      """
          .formatted("1f".repeat(36));

  @TempDir private Path folder;

  private Path file(String name, String lines) throws IOException {
    Path file = Files.writeString(folder.resolve(name), lines);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private static AssociationDatabase load(Path file) throws IOException {
    AssociationDatabase database =
        new AssociationDatabase(OURS, new JceCiphers(), new UsedKeys(new byte[] {1}), 1);
    new KeyFile(file, OURS).addTo(database, 0);
    return database;
  }

  @Test
  @DisplayName("both ends of a link that begin with a file talk in ESP, once with these keys")
  void shouldServeOneStart() throws Exception {
    Path one = file("one", LINES);
    Path two = file("two", LINES);
    String keys = "ipsec = { key-file = \"%s\" }";
    try (TestDaemon daemon = TestDaemon.withKeys(keys.formatted(one), keys.formatted(two), "");
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        Listener listener = there.listen(PORT)) {
      assertThat(here.list(ListSubject.ASSOCIATIONS)).hasSize(4);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(
              () -> listener.await(TIMEOUT).accept(), each -> Thread.ofPlatform().start(each));
      try (Connection out =
          here.connect(
              new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT), PrivateData.NONE, TIMEOUT)) {
        assertThat(accepted.join().isOpen()).isTrue();
        out.abort();
      }
    }
    assertThatThrownBy(() -> TestDaemon.withKeys(keys.formatted(one), keys.formatted(two), ""))
        .hasStackTraceContaining(one + ":2: its keys were used before this start");
  }

  @Test
  @DisplayName("a key is refused after its use, also in another line, and with others that are new")
  void shouldRecordUsedKeys() throws IOException {
    Path file = file("keys", LINES);
    load(file);
    Path record = folder.resolve("keys.used");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(record)))
        .isEqualTo("rw-------");
    assertThat(Files.readString(record)).doesNotContain("0001020304").hasLineCount(2);
    String renumbered = LINES.replace("0x1001", "0x1003");
    Files.writeString(file, renumbered);
    assertThatThrownBy(() -> load(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("keys:2: its keys were used before");
    Files.writeString(file, renumbered.replace("000102", "ff0102"));
    assertThatThrownBy(() -> load(file)).hasMessageContaining("keys:4: its keys were used before");
    Files.writeString(file, renumbered.replace("000102", "ff0102").replace("1f1f", "1f20"));
    load(file);
    assertThat(Files.readAllLines(record)).hasSize(4).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0123", "\0\0\0", "\u00ff"})
  @DisplayName("what an interrupted start has left of a hash does not hide the next one")
  void shouldRemoveTheRestOfAnInterruptedStart(String rest) throws IOException {
    Path record = folder.resolve("keys.used");
    load(file("keys", LINES));
    String before = Files.readString(record);
    Files.writeString(record, before + rest, StandardCharsets.ISO_8859_1);
    Path file = file("keys", LINES.replace("000102", "ff0102").replace("1f1f", "1f20"));
    load(file);
    assertThat(Files.readString(record)).startsWith(before).hasLineCount(4);
    assertThatThrownBy(() -> load(file)).hasMessageContaining("keys:2: its keys were used before");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "0123\n", "\0\0\0\n"})
  void shouldRefuseADamagedRecord(String line) throws IOException {
    Path record = folder.resolve("keys.used");
    Path file = file("keys", LINES);
    load(file);
    Files.writeString(record, line + Files.readString(record));
    assertThatThrownBy(() -> load(file))
        .isInstanceOf(IOException.class)
        .hasMessage(
            record
                + ": the record of used keys is damaged, so it cannot tell which were used: put"
                + " new keys at both ends, and delete it");
  }

  @Test
  void shouldRecordNothingOfAFileWithoutKeys() throws IOException {
    Path file = file("keys", "# none yet\n");
    load(file);
    load(file);
    assertThat(folder.resolve("keys.used")).isEmptyFile();
  }

  @ParameterizedTest
  @CsvSource({"rw-r-----", "rw----r--", "rw--w----"})
  @Tag("DDP-8.4.2-14")
  @Tag("RDMAP-8.2.2-15")
  @DisplayName("RFC 3723 section 5: a file that others may use is refused, and its keys stay new")
  void shouldRefuseAFileOfOthers(String permissions) throws IOException {
    Path file = file("keys", LINES);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    assertThatThrownBy(() -> load(file))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "%s: others than its owner may use it (%s): chmod 600, and put new keys into it"
                .formatted(file, permissions));
    assertThat(folder.resolve("keys.used")).doesNotExist();
  }

  @Test
  void shouldRefuseTheFileOfAnotherUser() throws IOException {
    assumeTrue((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "needs root");
    Path file = file("keys", LINES);
    Files.setAttribute(file, "unix:uid", 65534);
    assertThatThrownBy(() -> load(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("keys: belongs to user 65534; chown it");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0x1001 10.0.0.1 10.0.0.2 transport aes128gcm16 | 5 fields; a line has 6",
        "x 10.0.0.1 10.0.0.2 transport aes128gcm16 0102 | an SPI is 256 to 4294967295",
        "0xff 10.0.0.1 10.0.0.2 transport aes128gcm16 0102 | an SPI is 256 to",
        "256 10.0.0.1 10.0.0.2 both aes128gcm16 0102 | the mode is transport or tunnel, not both",
        "256 10.0.0.1 10.0.0.2 tunnel des 0102 | algorithms are one of aes128gcm16",
        "256 10.0.0.1 10.0.0.2 tunnel aes128gcm16 010 | it must be an even number",
        "256 10.0.0.1 10.0.0.2 tunnel aes128gcm16 0x01 | hexadecimal digits, without 0x",
        "256 10.0.0.1 10.0.0.2 tunnel aes128gcm16 0102 | keys of 20 octets in all, not 2",
        "256 10.0.0.8 10.0.0.2 tunnel aes128gcm16 0102 | must be the interface's",
        "256 10.0.0.1 host tunnel aes128gcm16 0102 | host"
      })
  void shouldSayWhatIsWrong(String line, String message) throws IOException {
    Path file = file("keys", "# one line\n" + line + "\n");
    assertThatThrownBy(() -> load(file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + ":2: ")
        .hasMessageContaining(message);
    assertThat(folder.resolve("keys.used")).doesNotExist();
  }

  @Test
  void shouldNotStartWithoutARecord() throws IOException {
    Path file = file("keys", LINES);
    Files.createDirectory(folder.resolve("keys.used"));
    assertThatThrownBy(() -> load(file)).isInstanceOf(IOException.class);
  }
}
