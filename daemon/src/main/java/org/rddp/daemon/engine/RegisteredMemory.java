package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.agrona.collections.Int2ObjectHashMap;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.client.types.WindowKind;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ipc.control.RegionSettings;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/** The regions and windows of a program. Engine thread only. */
final class RegisteredMemory {
  private final TaggedBuffers taggedBuffers;
  private final int most;
  private final Int2ObjectHashMap<SessionRegion> regions = new Int2ObjectHashMap<>();

  /** Regions without an STag that outstanding requests still name: a Read's answer may come. */
  private final Int2ObjectHashMap<SessionRegion> revoked = new Int2ObjectHashMap<>();

  private final NumberTable<SessionWindow> windows = new NumberTable<>();

  /** The region looked up last, a cache of one; null if there is none. */
  private SessionRegion latest;

  /**
   * Creates an empty set.
   *
   * @param most the most regions and windows together
   */
  RegisteredMemory(TaggedBuffers taggedBuffers, int most) {
    this.taggedBuffers = taggedBuffers;
    this.most = most;
  }

  /** The region with that STag, an invalidated one included; null if there is none. */
  SessionRegion region(int stag) {
    SessionRegion found = latest;
    if (found == null || found.buffer().stag() != stag) {
      found = regions.get(stag);
      latest = found;
    }
    return found;
  }

  /** The window with that number, or null. */
  SessionWindow window(int number) {
    return windows.get(number);
  }

  /**
   * Gives a range of memory an STag.
   *
   * @param domain the domain whose streams may use it
   * @param stream the only stream that may use it, or null for all
   */
  int register(
      ProtectionDomain domain, DdpStream stream, long address, long octets, RegionSettings settings)
      throws RequestRefusedException {
    int rights = settings.rights();
    long baseTo = settings.baseTo();
    if (stream != null && !stream.isIn(domain)) {
      throw new RequestRefusedException(
          Reason.INVALID, "the connection is not of the protection domain " + settings.domain());
    }
    if (!Access.areValid(rights)) {
      throw new RequestRefusedException(
          Reason.INVALID, "the rights 0x%x contain unknown bits".formatted(rights));
    }
    // DDP-8.3.1-03, RDMAP-8.1.1-05
    if (Access.letPeerChange(rights) && !Access.LOCAL_WRITE.isIn(rights)) {
      throw new RequestRefusedException(
          Reason.INVALID, "a region with REMOTE_WRITE or REMOTE_ATOMIC needs LOCAL_WRITE too");
    }
    if (stream == null && !Access.mayBeShared(rights)) { // RDMAP-8.1.1-07
      throw new RequestRefusedException(
          Reason.INVALID,
          "a region with REMOTE_INVALIDATE must be for one connection: name it (RFC 5040 section"
              + " 8.1.1 item 7)");
    }
    if (TaggedBuffer.wraps(baseTo, octets)) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "%d octets from the Tagged Offset %s on do not end below 2^64"
              .formatted(octets, Long.toUnsignedString(baseTo)));
    }
    checkRoom();
    int stag = newStag(domain, stream, address, octets, baseTo, rights);
    regions.put(stag, new SessionRegion(taggedBuffers.lookup(stag), address, octets));
    return stag;
  }

  private void checkRoom() throws RequestRefusedException {
    if (regions.size() + windows.size() >= most) {
      throw new RequestRefusedException(
          Reason.LIMIT, "a session has at most " + most + " regions and windows");
    }
  }

  /** Registers under an STag that no region or request here has, even an invalidated one. */
  private int newStag(
      ProtectionDomain domain, DdpStream stream, long address, long octets, long baseTo, int rights)
      throws RequestRefusedException {
    revoked.values().removeIf(region -> region.uses() == 0);
    while (true) {
      // DDP-8.3-01, DDP-8.3-03
      int stag = taggedBuffers.register(domain, stream, address, octets, baseTo, rights);
      if (stag == 0) {
        throw full();
      }
      if (!regions.containsKey(stag) && !revoked.containsKey(stag)) {
        return stag;
      }
      taggedBuffers.invalidate(stag);
    }
  }

  private static RequestRefusedException full() {
    return new RequestRefusedException(Reason.RESOURCES, "the interface's table of STags is full");
  }

  /**
   * Removes the STag of a region: nothing more is placed or read through it.
   *
   * @return the region, of which outstanding requests may still have addresses
   */
  SessionRegion deregister(int stag) throws RequestRefusedException {
    SessionRegion region = regions.get(stag);
    if (region == null) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "no such STag in this session");
    }
    int[] bound = new int[1];
    windows.forEach(window -> bound[0] += window.window().isBoundTo(region.buffer()) ? 1 : 0);
    if (bound[0] > 0) {
      throw new RequestRefusedException(
          Reason.STATE, bound[0] + " windows are bound to the region: invalidate them first");
    }
    taggedBuffers.invalidate(region.buffer());
    regions.remove(stag);
    latest = null;
    if (region.uses() > 0) {
      revoked.put(stag, region);
    }
    return region;
  }

  /** Allocates an unbound window. */
  SessionWindow allocateWindow(WindowKind kind, ProtectionDomain domain)
      throws RequestRefusedException {
    checkRoom();
    DdpMemoryWindow window =
        switch (kind) {
          case RENAMED -> taggedBuffers.allocateWindow(domain);
          case TYPE_2 -> taggedBuffers.allocateKeyedWindow(domain, false);
          case TYPE_1 -> taggedBuffers.allocateKeyedWindow(domain, true);
        };
    if (window == null) {
      throw full();
    }
    SessionWindow allocated = new SessionWindow(windows.reserve(), kind, window);
    windows.add(allocated.number(), allocated);
    return allocated;
  }

  /** Frees a window, bound or not, that no outstanding request names. */
  void freeWindow(int number) throws RequestRefusedException {
    SessionWindow window = windows.get(number);
    if (window == null) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "no such window in this session");
    }
    if (window.uses() > 0) {
      throw new RequestRefusedException(
          Reason.STATE, window.uses() + " binds of the window have not completed");
    }
    window.window().free();
    windows.remove(number);
  }

  /** Unbinds the windows of a connection that has ended. */
  void release(DdpStream stream) {
    if (windows.size() > 0) {
      windows.forEach(window -> window.window().release(stream));
    }
  }

  /** Whether its STags belong to that table. */
  boolean isIn(TaggedBuffers table) {
    return taggedBuffers == table;
  }

  /** Frees all regions and windows. */
  void end() {
    windows.forEach(window -> window.window().free());
    regions.values().forEach(region -> taggedBuffers.invalidate(region.buffer()));
    regions.clear();
    latest = null;
  }

  /** The windows in DDP. */
  List<DdpMemoryWindow> windows() {
    List<DdpMemoryWindow> all = new ArrayList<>();
    windows.forEach(window -> all.add(window.window()));
    return all;
  }

  /** Transfers the regions and windows; when read, there are none before. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(RegisteredMemory.class);
    transfer(
        snapshot,
        "regions",
        regions,
        region -> SessionRegion.transfer(snapshot, references, region));
    // The program may have freed the memory of these.
    transfer(
        snapshot, "revoked", revoked, region -> region == null ? SessionRegion.revoked() : region);
    windows.transfer(
        snapshot, (number, window) -> SessionWindow.transfer(snapshot, references, number, window));
    snapshot.end();
  }

  private static void transfer(
      Snapshot snapshot,
      String name,
      Int2ObjectHashMap<SessionRegion> map,
      UnaryOperator<SessionRegion> each) {
    List<Integer> stags = sorted(map);
    int count = snapshot.number(name, stags.size(), 0, Integer.MAX_VALUE);
    for (int i = 0; i < count; i++) {
      int stag = snapshot.number("stag", snapshot.reads() ? 0 : stags.get(i));
      SessionRegion region = each.apply(map.get(stag));
      if (snapshot.reads() && map.put(stag, region) != null) {
        throw snapshot.wrong("an STag is there twice");
      }
    }
  }

  private static List<Integer> sorted(Int2ObjectHashMap<SessionRegion> map) {
    return map.keySet().stream().sorted().toList();
  }

  /** References to the regions, those without an STag included. */
  References<SessionRegion> references() {
    List<SessionRegion> all = new ArrayList<>();
    sorted(regions).forEach(stag -> all.add(regions.get(stag)));
    sorted(revoked).forEach(stag -> all.add(revoked.get(stag)));
    return new References<>(all);
  }
}
