package org.rddp.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.mirror.Mirror;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code rddp ipsec}: adds, deletes and lists security associations of a running daemon. */
@Command(
    name = "ipsec",
    description = {
      "Add, delete, list or mirror security associations of ESP on an interface of the running"
          + " daemon. Only root and the daemon's own user may.",
      "add reads the keys from standard input, in hexadecimal: of encryption, salt (AES-GCM) and"
          + " integrity, one behind the other, 40 digits for aes128gcm16. Each association needs"
          + " keys of its own, and new ones after a restart of the daemon. Such associations are"
          + " for tests and closed networks; docs/operations.md has an example.",
      "mirror gives those that a daemon of IKE, such as strongSwan, puts into Linux's kernel to the"
          + " running daemon, whichever that is, until it is ended. It runs in the network namespace"
          + " of the daemon of IKE, with CAP_NET_ADMIN, and makes a TUN there with the interface's"
          + " addresses, through which IKE (UDP 500 and 4500) passes."
    })
final class IpsecCommand implements Callable<Integer> {
  /** What is done. */
  enum Action {
    ADD,
    DELETE,
    LIST,
    MIRROR;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The two modes. */
  enum Mode {
    TRANSPORT,
    TUNNEL;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Hexadecimal digits of the longest keys, with as many spaces between them. */
  private static final int MOST_INPUT = 1024;

  private static final int HEXADECIMAL = 16;

  @Mixin private SessionOptions session;

  @Parameters(paramLabel = "add|delete|list|mirror", description = "What to do.")
  private Action action;

  @Option(
      names = "--spi",
      paramLabel = "N",
      converter = SpiConverter.class,
      description = "Security Parameters Index, 256 to 4294967295 or 0x100 to 0xffffffff.")
  private Integer spi;

  @Option(
      names = "--source",
      paramLabel = "ADDRESS",
      description = "Address of the host that sends. It or --destination is the interface's.")
  private String source;

  @Option(
      names = "--destination",
      paramLabel = "ADDRESS",
      description = "Address of the host that receives.")
  private String destination;

  @Option(
      names = "--algorithms",
      paramLabel = "NAME",
      description =
          "Encryption and integrity: aes128gcm16 (default), aes256gcm16, aes128-sha1, aes256-sha1,"
              + " aes128-sha256, aes256-sha256, null-sha1 or null-sha256.")
  private String algorithms = "aes128gcm16";

  @Option(
      names = "--mode",
      paramLabel = "transport|tunnel",
      description = "Seal the payload of packets (default), or whole packets.")
  private Mode mode = Mode.TRANSPORT;

  @Option(
      names = "--no-esn",
      description = "Sequence numbers of 32 bits (default: extended ones, of 64).")
  private boolean shortNumbers;

  @Option(
      names = "--window",
      paramLabel = "N",
      description = "Packets in the window against replay, 32 to 65536 (default: 1024).")
  private int window;

  @Option(
      names = "--remote",
      paramLabel = "PREFIX",
      description =
          "Addresses of peers that it is for, such as 10.0.0.0/24; others only in tunnel mode"
              + " (default: the other host).")
  private String remote = "";

  @Option(
      names = "--local-port",
      paramLabel = "PORT",
      description = "Our TCP port that it is for (default: any).")
  private int localPort;

  @Option(
      names = "--remote-port",
      paramLabel = "PORT",
      description = "The peers' TCP port that it is for (default: any).")
  private int remotePort;

  @Option(
      names = "--soft-octets",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "List it as to be replaced after so many octets.")
  private long softOctets;

  @Option(
      names = "--hard-octets",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "End it after so many octets.")
  private long hardOctets;

  @Option(
      names = "--soft-seconds",
      paramLabel = "N",
      description = "List it as to be replaced after this number of seconds.")
  private long softSeconds;

  @Option(
      names = "--hard-seconds",
      paramLabel = "N",
      description = "End it after this number of seconds.")
  private long hardSeconds;

  @Option(
      names = "--replace",
      paramLabel = "SPI",
      converter = SpiConverter.class,
      description =
          "Delete the association with this SPI and the same destination at the same moment.")
  private int replaced;

  @Option(
      names = "--tun",
      paramLabel = "NAME",
      description = "mirror: name of the TUN (default: rddp-ike).")
  private String tun = "rddp-ike";

  @Option(names = "--json", description = "list: print one JSON object for each.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** Reads an SPI: decimal, or hexadecimal with 0x. */
  static final class SpiConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      try {
        boolean hexadecimal = text.startsWith("0x");
        return hexadecimal
            ? Integer.parseUnsignedInt(text, 2, text.length(), HEXADECIMAL)
            : Integer.parseUnsignedInt(text);
      } catch (NumberFormatException e) {
        throw new TypeConversionException(
            "'" + text + "' is no SPI: 256 to 4294967295, or 0x100 to 0xffffffff");
      }
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    switch (action) {
      case ADD -> add();
      case DELETE -> delete();
      case LIST -> list();
      case MIRROR -> mirror();
    }
    return 0;
  }

  private void add() throws IOException {
    OptionChecks.require(
        spec,
        spi != null && source != null && destination != null,
        "add needs --spi, --source and --destination");
    byte[] keys = keys(System.in);
    try (Rddp daemon = session.open("ipsec")) {
      daemon.securityAssociations().add(association(), replaced, keys);
    } finally {
      Arrays.fill(keys, (byte) 0);
    }
  }

  /** What the options say. */
  SecurityAssociation association() {
    return new SecurityAssociation(
        spi,
        source,
        destination,
        mode == Mode.TUNNEL,
        algorithms,
        !shortNumbers,
        window,
        remote,
        false,
        localPort,
        remotePort,
        softOctets,
        hardOctets,
        softSeconds,
        hardSeconds);
  }

  /** The SPI of {@code --replace}; 0 for none. */
  int replaced() {
    return replaced;
  }

  /** Reads keys in hexadecimal; white space between digits is ignored. */
  static byte[] keys(InputStream input) throws IOException {
    byte[] text = input.readNBytes(MOST_INPUT);
    byte[] digits = new byte[text.length];
    int count = 0;
    try {
      for (byte each : text) {
        int digit = Character.digit(each, HEXADECIMAL);
        if (digit >= 0) {
          digits[count++] = (byte) digit;
        } else if (!Character.isWhitespace(each)) {
          throw new CommandFailedException(
              "the keys on standard input are hexadecimal digits, without 0x");
        }
      }
      if (count == 0 || count % 2 != 0) {
        throw new CommandFailedException(
            "there are %d hexadecimal digits of keys on standard input; it must be an even number"
                .formatted(count));
      }
      byte[] keys = new byte[count / 2];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = (byte) (digits[2 * i] << 4 | digits[2 * i + 1]);
      }
      return keys;
    } finally {
      Arrays.fill(text, (byte) 0);
      Arrays.fill(digits, (byte) 0);
    }
  }

  private void delete() {
    OptionChecks.require(
        spec, spi != null && destination != null, "delete needs --spi and --destination");
    try (Rddp daemon = session.open("ipsec")) {
      daemon.securityAssociations().delete(spi, destination);
    }
  }

  private void mirror() throws IOException, InterruptedException {
    try (Mirror mirror =
        Mirror.start(
            () -> session.chosenInterfaces().getFirst(), tun, line -> Output.println(spec, line))) {
      mirror.run(() -> session.open("ipsec mirror"));
    }
  }

  private void list() {
    try (Rddp daemon = session.open("ipsec")) {
      ListCommand.print(
          spec,
          json,
          TextTable.ASSOCIATIONS,
          ListCommand.objects(daemon, ListSubject.ASSOCIATIONS, session));
    }
  }
}
