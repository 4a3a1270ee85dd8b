package org.rddp.interop.siw;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ConnectionRejectedException;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.interop.guest.GuestCase;
import org.rddp.interop.guest.GuestLink;
import org.rddp.interop.guest.GuestToolRunner;
import org.rddp.interop.guest.HostProgram;
import org.rddp.interop.guest.PeerConnection;
import org.rddp.interop.guest.Perftest;
import org.rddp.interop.guest.Perftest.Tool;
import org.rddp.interop.siw.WireMonitor.Direction;

/** Special startups and private data, checked on the wire, too. */
final class StartupCases {
  private static final int COUNT = 5;
  private static final int SIZE = 64;
  private static final String REVISION_1 = "4001";
  private static final String REVISION_2 = "5002";

  /** The most private data, in octets, that siw carries besides its own four octets. */
  private static final int MOST_PRIVATE_DATA = 252;

  /** Octets that two ends of rsockets exchange: version, credits, and their buffers. */
  private static final int STREAM_DATA = 40;

  private static final short CREDITS = 64;

  private final GuestToolRunner tools;
  private final Map<String, GuestLink> links;
  private final Map<GuestLink, WireMonitor> monitors;
  private final List<GuestCase> rows = new ArrayList<>();

  /**
   * Cases over monitored links.
   *
   * @param links by kind
   */
  StartupCases(
      GuestToolRunner tools, Map<String, GuestLink> links, Map<GuestLink, WireMonitor> monitors) {
    this.tools = tools;
    this.links = links;
    this.monitors = monitors;
  }

  List<GuestCase> all() {
    GuestLink usual = links.get("spoiled");
    GuestLink first = links.get("first");
    rows.add(GuestCase.of("private data, seen by rstream", true, usual, () -> streamServer(usual)));
    rows.add(
        GuestCase.of("private data, seen by rstream", false, usual, () -> streamClient(usual)));
    rows.add(GuestCase.of("revision 1, ib_send_lat", true, first, () -> firstRevision(first)));
    rows.add(GuestCase.of("revision 1, rping", false, usual, () -> siwsFirstRevision(usual)));
    if (links.containsKey("peer")) {
      GuestLink peer = links.get("peer");
      rows.add(GuestCase.of("peer to peer with RTR, rping", true, peer, () -> peerToPeer(peer)));
    }
    rows.add(
        GuestCase.of("peer to peer with RTR, rping", false, usual, () -> siwsPeerToPeer(usual)));
    return rows;
  }

  /** rstream's server answers with its own data, and rejects other versions. */
  private void streamServer(GuestLink link) throws Exception {
    WireMonitor monitor = monitors.get(link);
    monitor.reset();
    tools.withServer(
        link,
        "sh -c 'rstream -p %d >/dev/null 2>&1; true'",
        (program, port) -> {
          PrivateData ours = streamData(program, 1);
          PeerConnection stream = program.connect(link.guest(port), ours, SIZE);
          requireStreamData(stream.connection().privateData());
          stream.close();
          tools.guest().run(1, "killall rstream");
        });
    require(monitor.startup(Direction.TO_SIW).startsWith(REVISION_2), "no request on the wire");
    String[] outcome = {"nothing"};
    tools.withServer(
        link,
        "sh -c 'rstream -p %d >/dev/null 2>&1; true'",
        (program, port) -> {
          try {
            program.connect(link.guest(port), streamData(program, 9), SIZE);
          } catch (ConnectionRejectedException | ConnectionFailedException e) {
            outcome[0] = e.getMessage();
          }
          tools.guest().run(1, "killall rstream");
        });
    require(!outcome[0].equals("nothing"), "rstream takes any private data");
  }

  /** rstream's client sends its own data, and goes on only if the answer has its version. */
  private void streamClient(GuestLink link) throws Exception {
    for (int version : new int[] {1, 9}) {
      String[] said = new String[1];
      tools.withClient(
          link,
          "sh -c 'rstream -s " + link.ours() + " -p %d -S 64 -C 1 2>&1; true'",
          (program, listener) -> {
            said[0] = acceptStream(program, listener, version);
            // It may wait for ever for more of its stream.
            tools.guest().run(1, "killall rstream");
          });
      require(said[0].isEmpty(), said[0]);
    }
  }

  private static String acceptStream(HostProgram program, Listener listener, int version) {
    PeerConnection stream = program.accept(listener, streamData(program, version), SIZE);
    requireStreamData(stream.connection().privateData());
    // A stream begins with a write and a message that announces it.
    boolean talks;
    try {
      talks = stream.receive().length > 0;
    } catch (IllegalStateException closed) {
      talks = false;
    }
    return talks == (version == 1) ? "" : "version " + version + ": talks " + talks;
  }

  private static void requireStreamData(PrivateData data) {
    ByteBuffer octets = ByteBuffer.wrap(data.toByteArray());
    require(
        octets.remaining() >= STREAM_DATA && octets.get(0) == 1 && octets.getShort(2) > 0,
        "not the data of rsockets: " + data);
  }

  /** Private data of a stream, with buffers for its data and for further advertisements. */
  private static PrivateData streamData(HostProgram program, int version) {
    MemoryRegion more = program.allocate(1 << 10, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    MemoryRegion data = program.allocate(1 << 16, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    ByteBuffer octets = ByteBuffer.allocate(MOST_PRIVATE_DATA);
    octets.put((byte) version).put((byte) 0).putShort(CREDITS).putInt(0);
    for (MemoryRegion region : new MemoryRegion[] {more, data}) {
      octets.putLong(region.baseTo()).putInt(region.stag()).putInt((int) region.length());
    }
    return PrivateData.of(octets.array());
  }

  /** With revision 1 siw's Responder may not read. */
  private void firstRevision(GuestLink link) throws Exception {
    WireMonitor monitor = monitors.get(link);
    monitor.reset();
    tools.perftestClient(new Perftest(Tool.SEND_LATENCY, COUNT, SIZE), link);
    requireStartup(monitor, REVISION_1, REVISION_1);
  }

  private void siwsFirstRevision(GuestLink link) throws Exception {
    withParameter(
        "mpa_version",
        "1",
        "2",
        () -> {
          monitors.get(link).reset();
          tools.rpingServer(link, COUNT, SIZE);
          requireStartup(monitors.get(link), "4001", "0001");
        });
  }

  private void peerToPeer(GuestLink link) throws Exception {
    WireMonitor monitor = monitors.get(link);
    monitor.reset();
    tools.rpingClient(link, COUNT, SIZE);
    requireStartup(monitor, REVISION_2, REVISION_2);
    requireRtr(monitor, Direction.TO_SIW);
  }

  private void siwsPeerToPeer(GuestLink link) throws Exception {
    withParameter(
        "peer_to_peer",
        "1",
        "0",
        () -> {
          monitors.get(link).reset();
          tools.rpingServer(link, COUNT, SIZE);
          requireRtr(monitors.get(link), Direction.TO_RDDP);
        });
  }

  /** Request and Reply ask for peer to peer, and the Initiator's first FPDU is the RTR. */
  private static void requireRtr(WireMonitor monitor, Direction fromInitiator) {
    for (Direction direction : Direction.values()) {
      String depths = monitor.startup(direction).substring(8, 16);
      require(
          (Integer.parseUnsignedInt(depths, 16) & 0x8000_0000) != 0,
          "not peer to peer: " + monitor.startup(direction));
    }
    require(monitor.emptyWrites(fromInitiator) == 1, "no RTR by an RDMA Write");
  }

  private static void requireStartup(WireMonitor monitor, String toSiw, String toRddp) {
    require(
        monitor.startup(Direction.TO_SIW).startsWith(toSiw)
            && monitor.startup(Direction.TO_RDDP).startsWith(toRddp),
        "startup of "
            + monitor.startup(Direction.TO_SIW)
            + " and "
            + monitor.startup(Direction.TO_RDDP));
  }

  private void withParameter(String name, String value, String usual, GuestCase.Action talk)
      throws Exception {
    set(name, value);
    try {
      talk.run();
    } finally {
      set(name, usual);
    }
  }

  private void set(String name, String value) {
    tools
        .guest()
        .run(1, "sh -c 'echo " + value + " >/sys/module/siw/parameters/" + name + "'")
        .orThrow();
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
