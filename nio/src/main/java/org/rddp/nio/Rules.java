package org.rddp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.rddp.client.streams.StreamNetwork;

/**
 * Which connections are rddp's, and which the kernel's: the rules of {@code rddp sockets}
 * (docs/sockets.md), from the same variables and the same file. Immutable.
 */
final class Rules {
  /** What becomes of a connection. */
  enum Way {
    /** By the kernel. */
    KERNEL,
    /** By rddp, and never by the kernel. */
    RDDP,
    /** By the kernel once the peer's host has answered that nobody listens there over rddp. */
    RDDP_OR_KERNEL,
    /** The rules are wrong. */
    REFUSED
  }

  /**
   * A decision.
   *
   * @param network of the address; null if it is in none
   * @param rule the rule that has decided, or null
   * @param source where that rule is, or null
   * @param why a sentence without its full stop
   */
  record Decision(Way way, StreamNetwork network, String rule, String source, String why) {}

  /** Knows this host's kernel. */
  interface Kernel {
    /** The address from which the kernel sends to another one, or null without a route. */
    InetAddress source(InetAddress to);
  }

  @SuppressWarnings("ArrayRecordComponent") // made once, compared by nobody
  private record Rule(byte[] address, int prefix, int port, Way way, String text, String source) {}

  private static final Map<String, Way> ACTIONS =
      Map.of("kernel", Way.KERNEL, "rddp", Way.RDDP, "rddp-or-kernel", Way.RDDP_OR_KERNEL);
  private static final String SYSTEM_FILE = "/etc/rddp/sockets.rules";
  private static final int MOST = 1024;
  private static final int LONGEST = 128;
  private static final int LONGEST_FILE = 65536;
  private static final int MOST_NETWORKS = 64;
  private static final int LARGEST_PORT = 65535;
  private static final int IPV4_BITS = 32;
  private static final int IPV6_BITS = 128;
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,5}");
  private static final Pattern IPV4 =
      Pattern.compile("(0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2})){3}");

  private final Map<String, String> environment;
  private final Kernel kernel;
  private final List<Rule> rules = new ArrayList<>();
  private final List<StreamNetwork> known = new ArrayList<>();
  private String error;

  /** Reads the rules of an environment, and the file that it names or the system's. */
  Rules(Map<String, String> environment, Kernel kernel) {
    this.environment = environment;
    this.kernel = kernel;
    addVariable("RDDP_SOCKETS_OPTIONS", "option");
    addVariable("RDDP_SOCKETS_RULES", "RDDP_SOCKETS_RULES");
    addFile();
    for (String each : environment.getOrDefault("RDDP_SOCKETS_NETWORKS", "").split(";", -1)) {
      addKnown(each);
    }
  }

  /** What is wrong, where, and what to do; null: nothing. */
  String error() {
    return error;
  }

  /** The networks that the environment names. */
  List<StreamNetwork> known() {
    return known;
  }

  // ---- Reading ----

  private static int number(String text, int most) {
    int number = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : -1;
    return number > most ? -1 : number;
  }

  /** An address without a name's look-up, or null. */
  private static InetAddress literal(String text) {
    if (!IPV4.matcher(text).matches() && (text.indexOf(':') < 0 || text.indexOf('%') >= 0)) {
      return null;
    }
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The 16 octets of an address; IPv4 is mapped. */
  private static byte[] octets(InetAddress address) {
    byte[] octets = address.getAddress();
    return octets.length == 16
        ? octets
        : ByteBuffer.allocate(16).putShort(10, (short) 0xffff).put(12, octets).array();
  }

  /** Bits of the mapped form; -1: wrong. */
  private static int prefix(String address, String bits) {
    boolean isIpv6 = address.indexOf(':') >= 0;
    int most = isIpv6 ? IPV6_BITS : IPV4_BITS;
    int prefix = bits == null ? most : number(bits, most);
    return prefix < 0 || isIpv6 ? prefix : prefix + IPV6_BITS - IPV4_BITS;
  }

  private static String behind(String text, int at) {
    return at < 0 ? null : text.substring(at + 1);
  }

  private static String before(String text, int at) {
    return at < 0 ? text : text.substring(0, at);
  }

  private void addRule(String text, String source) {
    if (text.length() > LONGEST) {
      complain(source, text, "this is too long for a rule; write ADDRESS[/PREFIX][:PORT] ACTION");
      return;
    }
    String[] words = text.split("[ \t\r]+", -1);
    if (words.length < 2) {
      complain(
          source,
          text,
          "the action is missing; write it behind the address: rddp, kernel or rddp-or-kernel");
    } else if (words.length > 2) {
      complain(
          source,
          text,
          "there is something behind the action; write one rule a line: ADDRESS[/PREFIX][:PORT]"
              + " ACTION");
    } else if (!ACTIONS.containsKey(words[1])) {
      complain(source, text, "there is no such action; write rddp, kernel or rddp-or-kernel");
    } else {
      addPlace(words[0], ACTIONS.get(words[1]), text, source);
    }
  }

  private void addPlace(String place, Way way, String text, String source) {
    String network = place;
    String port = null;
    if (place.startsWith("[")) {
      int end = place.indexOf(']');
      if (end < 0 || (end + 1 < place.length() && place.charAt(end + 1) != ':')) {
        complain(source, text, "a bracket is not closed; write [ADDRESS/PREFIX]:PORT");
        return;
      }
      network = place.substring(1, end);
      port = end + 1 < place.length() ? place.substring(end + 2) : null;
    } else if (place.indexOf(':') == place.lastIndexOf(':')) {
      // Several colons are an IPv6 address.
      network = before(place, place.indexOf(':'));
      port = behind(place, place.indexOf(':'));
    }
    int number = port == null ? 0 : number(port, LARGEST_PORT);
    if (port != null && number <= 0) {
      complain(
          source,
          text,
          "the port is no number from 1 to 65535; leave it out, with its colon, for all ports");
      return;
    }
    int slash = network.indexOf('/');
    boolean any = network.equals("*");
    InetAddress address = literal(before(network, slash));
    int prefix = any ? 0 : prefix(before(network, slash), behind(network, slash));
    if (!any && (address == null || prefix < 0)) {
      complain(
          source,
          text,
          "this is no address and no network; write 10.0.0.1, 10.0.0.0/24, fd00::/64, or * for all"
              + " of rddp's networks");
    } else if (rules.size() == MOST) {
      complain(source, text, "there are more than 1024 rules; write networks instead of addresses");
    } else {
      rules.add(new Rule(any ? null : octets(address), prefix, number, way, text, source));
    }
  }

  private void complain(String source, String line, String wrong) {
    if (error == null) {
      String cut =
          line == null ? "" : "'" + line.substring(0, Math.min(100, line.length())) + "': ";
      error = source + ": " + cut + wrong;
    }
  }

  private void addRules(String text, String name, boolean isFile) {
    int number = 0;
    for (String line : text.split(isFile ? "\n" : "[\n;]", -1)) {
      number++;
      String rule = before(line, line.indexOf('#')).strip();
      if (!rule.isEmpty()) {
        addRule(rule, isFile ? name + ", line " + number : name);
      }
    }
  }

  private void addVariable(String variable, String name) {
    addRules(environment.getOrDefault(variable, ""), name, false);
  }

  private void addFile() {
    String chosen = environment.getOrDefault("RDDP_SOCKETS_FILE", "");
    String path = chosen.isEmpty() ? SYSTEM_FILE : chosen;
    try (var file = Files.newInputStream(Path.of(path))) {
      byte[] octets = file.readNBytes(LONGEST_FILE + 1);
      if (octets.length > LONGEST_FILE) {
        complain(path, null, "the file has more than 64 KiB; write networks instead of addresses");
        return;
      }
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(octets)).toString();
      if (text.indexOf('\0') >= 0) {
        throw new CharacterCodingException();
      }
      addRules(text, path, true);
    } catch (CharacterCodingException e) {
      complain(path, null, "the file has octets that are no text; write one rule a line");
    } catch (NoSuchFileException e) {
      if (!chosen.isEmpty()) {
        complain(
            path,
            null,
            "the rules cannot be read: No such file; make the file readable, or remove it");
      }
    } catch (IOException e) {
      complain(
          path,
          null,
          Files.isDirectory(Path.of(path))
              ? "the rules cannot be read; make this a file, or remove it"
              : "the rules cannot be read: " + e + "; make the file readable, or remove it");
    }
  }

  private void addKnown(String text) {
    String[] words = text.strip().split(" +", -1);
    if (words.length < 2) {
      return;
    }
    int slash = words[1].indexOf('/');
    InetAddress address = literal(before(words[1], slash));
    int prefix = prefix(before(words[1], slash), behind(words[1], slash));
    if (address == null || prefix < 0 || address.isLinkLocalAddress()) {
      return;
    }
    int own = address.getAddress().length == 4 ? prefix - IPV6_BITS + IPV4_BITS : prefix;
    boolean encrypted = words.length > 2 && words[2].equals("encrypted");
    for (StreamNetwork each : known) {
      if (each.interfaceName().equals(words[0])
          && each.address().equals(address)
          && each.prefix() == own) {
        known.remove(each);
        known.add(new StreamNetwork(words[0], address, own, encrypted || each.encrypted()));
        return;
      }
    }
    if (known.size() < MOST_NETWORKS) {
      known.add(new StreamNetwork(words[0], address, own, encrypted));
    }
  }

  // ---- Deciding ----

  private static boolean isWithin(byte[] address, byte[] network, int prefix) {
    for (int bit = 0; bit < prefix; bit++) {
      if (((address[bit / 8] ^ network[bit / 8]) << bit % 8 & 0x80) != 0) {
        return false;
      }
    }
    return true;
  }

  private static int mappedPrefix(StreamNetwork network) {
    return network.address().getAddress().length == 4
        ? network.prefix() + IPV6_BITS - IPV4_BITS
        : network.prefix();
  }

  static boolean isWithin(InetAddress address, StreamNetwork network) {
    return isWithin(octets(address), octets(network.address()), mappedPrefix(network));
  }

  private static StreamNetwork networkOf(List<StreamNetwork> networks, InetAddress address) {
    StreamNetwork found = null;
    for (StreamNetwork each : networks) {
      if (isWithin(address, each)
          && (found == null
              || mappedPrefix(each) > mappedPrefix(found)
              || (mappedPrefix(each) == mappedPrefix(found) && each.encrypted()))) {
        found = each;
      }
    }
    return found;
  }

  private Rule ruleOf(StreamNetwork network, InetAddress address, int port) {
    for (Rule each : rules) {
      if ((each.port == 0 || each.port == port)
          && (each.address == null
              ? network != null
              : isWithin(octets(address), each.address, each.prefix))) {
        return each;
      }
    }
    return null;
  }

  /** Whether this host's kernel has an address. */
  boolean isOfKernel(InetAddress address) {
    return address.equals(kernel.source(address));
  }

  /**
   * Whether the kernel reaches the address without a router, in rddp's own network: another route
   * may lead to another host of that address.
   */
  boolean isKernelNear(StreamNetwork network, InetAddress address) {
    InetAddress source = network == null ? null : kernel.source(address);
    return network == null || (source != null && isWithin(source, network));
  }

  private static boolean isLoopback(InetAddress address) {
    return address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || (address.getAddress().length == 4 && address.getAddress()[0] == 0);
  }

  /** Decides what becomes of a connection. Does not ask the daemon. */
  Decision decide(List<StreamNetwork> networks, InetAddress address, int port) {
    if (isLoopback(address)
        || (address.isLinkLocalAddress() && address.getAddress().length == 16)) {
      return new Decision(
          Way.KERNEL, null, null, null, "the kernel has all loopback and link-local addresses");
    }
    StreamNetwork network = networkOf(networks, address);
    Rule rule = ruleOf(network, address, port);
    if (network == null && rule == null) {
      return new Decision(Way.KERNEL, null, null, null, "no interface of rddp is in its network");
    }
    if (networks.stream().noneMatch(each -> each.address().equals(address))
        && isOfKernel(address)) {
      return new Decision(
          Way.KERNEL, network, null, null, "the kernel of this host has the address");
    }
    if (error != null) {
      return new Decision(Way.REFUSED, network, null, null, error);
    }
    if (rule == null) {
      String why = "it is in an interface's network, and no rule lets the kernel have it";
      return new Decision(Way.RDDP, network, null, null, why);
    }
    if (network != null && network.encrypted() && rule.way != Way.RDDP) {
      String why =
          "the interface requires encryption, and the kernel would send in clear, so the rule does"
              + " not count";
      return new Decision(Way.RDDP, network, rule.text, rule.source, why);
    }
    return new Decision(rule.way, network, rule.text, rule.source, "a rule says so");
  }
}
