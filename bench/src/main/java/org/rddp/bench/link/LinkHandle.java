package org.rddp.bench.link;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.Json;
import org.rddp.rig.NetworkNamespace;

/**
 * A rig's access to a link: two ends to enter, and settings to change.
 *
 * @param near file of the near end's namespace
 * @param far file of the far end's namespace
 * @param control path of the link's socket
 */
public record LinkHandle(String near, String far, String control) {
  private static final String KEY = "link_";

  /** The link in a rig's arguments. */
  public static LinkHandle of(JsonObject arguments) {
    return new LinkHandle(
        arguments.get(KEY + "near").getAsString(),
        arguments.get(KEY + "far").getAsString(),
        arguments.get(KEY + "control").getAsString());
  }

  /** Whether a rig's arguments name a link. */
  public static boolean isIn(JsonObject arguments) {
    return arguments.has(KEY + "control");
  }

  /** Adds it to a contender's arguments. */
  public Contender addTo(Contender contender) {
    return contender.with(KEY + "near", near).with(KEY + "far", far).with(KEY + "control", control);
  }

  /** The address of the kernel's far end. */
  public static InetAddress farAddress() {
    return InetAddress.ofLiteral(LossyLink.FAR);
  }

  /** Moves the calling thread, a platform thread, to an end's namespace. */
  public void enter(boolean nearEnd) {
    try {
      NetworkNamespace.enter(nearEnd ? near : far);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A device of DPDK over the end of the thread that opens it, by a name of its own. */
  public static String device(String name) {
    return "net_af_packet_"
        + name
        + ",iface="
        + LinkNamespaces.INTERFACE
        + ",blocksz=65536,framesz=2048,framecnt=2048";
  }

  /** Changes the link's settings; frames are counted from 0 then. */
  public void configure(LinkSettings settings) throws IOException {
    ask(Json.from(settings).toString());
  }

  /** Counts since the settings were changed. */
  public LinkCounts counts() throws IOException {
    return ask("");
  }

  private LinkCounts ask(String line) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(Path.of(control)))) {
      channel.write(StandardCharsets.UTF_8.encode(line + "\n"));
      BufferedReader reader =
          new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
      String answer = reader.readLine();
      if (answer == null) {
        throw new IOException("the link does not answer");
      }
      return Json.to(JsonParser.parseString(answer).getAsJsonObject(), LinkCounts.class);
    }
  }
}
