package org.rddp.daemon.configuration;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * This host's secret for making link-local addresses (RFC 7217 section 5): a hash of the machine's
 * id, which itself must stay secret (machine-id(5)); random at each start if there is no id.
 */
final class HostSecret {
  private static final Path MACHINE_ID = Path.of("/etc/machine-id");
  private static final int RANDOM_BITS = 128;
  private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
  private static final String VALUE = make();

  private HostSecret() {}

  /** The secret. */
  static String value() {
    return VALUE;
  }

  private static String make() {
    try {
      String id = Files.readString(MACHINE_ID).strip();
      if (!ID.matcher(id).matches()) {
        return random(); // empty or "uninitialized" in images of containers
      }
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      byte[] digest = hash.digest(("rddp link-local " + id).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (IOException e) {
      return random();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String random() {
    return new BigInteger(RANDOM_BITS, new SecureRandom()).toString(16);
  }
}
