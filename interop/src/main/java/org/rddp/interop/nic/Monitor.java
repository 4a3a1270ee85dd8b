package org.rddp.interop.nic;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** QEMU's monitor, which pulls cables and cards. */
final class Monitor implements AutoCloseable {
  private static final Pattern DELETED =
      Pattern.compile("\"DEVICE_DELETED\".*\"device\": \"([^\"]+)\"");

  private final SocketChannel channel;
  private final BufferedReader answers;
  private final Set<String> unplugged = new HashSet<>();

  /** Connects to the monitor's socket. */
  Monitor(Path socket) throws IOException {
    channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(socket));
    answers = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    answers.readLine();
    execute("qmp_capabilities", "{}");
  }

  /** Connects a card's cable, or pulls it. */
  void setLink(String card, boolean up) throws IOException {
    execute("set_link", "{\"name\": \"%s\", \"up\": %b}".formatted(card, up));
  }

  /** Asks the guest to give up a card. */
  void unplug(String card) throws IOException {
    execute("device_del", "{\"id\": \"%s\"}".formatted(card));
  }

  /** Waits until the guest has given up a card. */
  void awaitUnplugged(String card) throws IOException {
    while (!unplugged.contains(card)) {
      next();
    }
  }

  private void execute(String command, String arguments) throws IOException {
    String line = "{\"execute\": \"%s\", \"arguments\": %s}%n".formatted(command, arguments);
    channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
    String answer;
    do {
      answer = next();
    } while (answer.contains("\"event\""));
    if (answer.contains("\"error\"")) {
      throw new IllegalStateException(command + ": " + answer);
    }
  }

  private String next() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("QEMU is gone");
    }
    Matcher deleted = DELETED.matcher(line);
    if (deleted.find()) {
      unplugged.add(deleted.group(1));
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
