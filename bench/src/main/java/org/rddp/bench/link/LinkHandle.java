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
import org.rddp.bench.harness.Json;
import org.rddp.rig.NetworkNamespace;

/**
 * A link as a rig sees it: two ends to enter, and a shape to choose.
 *
 * @param near file of the namespace that the near end is in
 * @param far file of the other
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

  /** Adds it to a rig's arguments. */
  public org.rddp.bench.harness.Contender addTo(org.rddp.bench.harness.Contender entrant) {
    return entrant.with(KEY + "near", near).with(KEY + "far", far).with(KEY + "control", control);
  }

  /** The address of the kernel's far end. */
  public static InetAddress farAddress() {
    return InetAddress.ofLiteral(LossyLink.FAR);
  }

  /** Brings the calling thread, a platform thread, to an end. */
  public void enter(boolean nearEnd) {
    try {
      NetworkNamespace.enter(nearEnd ? near : far);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** DPDK's device over the end that is entered when it is opened; {@code name} is to be unique. */
  public static String device(String name) {
    return "net_af_packet_"
        + name
        + ",iface="
        + LinkNamespaces.INTERFACE
        + ",blocksz=65536,framesz=2048,framecnt=2048";
  }

  /** Gives the link a shape; frames are counted from 0 then. */
  public void configure(LinkSettings shape) throws IOException {
    ask(Json.from(shape).toString());
  }

  /** What the link has done since it was given its shape. */
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
