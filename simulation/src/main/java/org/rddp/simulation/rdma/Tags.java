package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.ddp.DdpSettings;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;

/** The STags of one end: regions in its memory and windows onto them, as they come and go. */
final class Tags {
  private static final int MOST_DEAD = 16;

  /** Tagged Offsets from here on are left to requests that wrap. */
  private static final long HIGHEST_TO = -1L << 32;

  private final RdmapHost machine;
  private final DdpStream stream;
  private final MemoryModel memory;
  private final SplittableRandom random;
  private final RdmapEventCounts counts;
  private final ProtectionDomain stranger = new ProtectionDomain("stranger");
  private final List<ModelStag> live = new ArrayList<>();
  private final List<ModelStag> dead = new ArrayList<>();

  /** Names for the memory of a stream's end. */
  Tags(
      RdmapHost machine,
      DdpStream stream,
      MemoryModel memory,
      SplittableRandom random,
      RdmapEventCounts counts) {
    this.machine = machine;
    this.stream = stream;
    this.memory = memory;
    this.random = random;
    this.counts = counts;
  }

  private TaggedBuffers table() {
    return machine.ddp().taggedBuffers();
  }

  /** Those that exist. */
  List<ModelStag> live() {
    return live;
  }

  /** One that allows this, that a peer which does nothing wrong may use; or null. */
  ModelStag pick(int rights) {
    if (live.isEmpty()) {
      return null;
    }
    int from = random.nextInt(live.size());
    for (int i = 0; i < live.size(); i++) {
      ModelStag tag = live.get((from + i) % live.size());
      if (tag.usable(rights)) {
        return tag;
      }
    }
    return null;
  }

  /** One of this stream's that exists and does not allow it, or null. */
  ModelStag without(int rights) {
    return live.stream()
        .filter(tag -> !tag.foreign() && !tag.givenUp() && !tag.permits(rights))
        .findAny()
        .orElse(null);
  }

  /** One that exists and is not this stream's, or null. */
  ModelStag foreign() {
    return live.stream().filter(ModelStag::foreign).findAny().orElse(null);
  }

  /** The name of something that is gone; 0 if there is none. */
  int deadName() {
    ModelStag tag = dead.isEmpty() ? null : dead.get(random.nextInt(dead.size()));
    return tag == null || table().lookup(tag.stag()) != null ? 0 : tag.stag();
  }

  /** A name of nothing. */
  int noName() {
    int stag = random.nextInt();
    while (stag == 0 || table().lookup(stag) != null) {
      stag = random.nextInt();
    }
    return stag;
  }

  /** Names a part of a slot, or all of it. */
  ModelStag register(Piece slot) {
    boolean foreign = random.nextInt(12) == 0;
    int rights =
        AccessRights.LOCAL_WRITE | rights() | (random.nextBoolean() ? AccessRights.BIND : 0);
    Piece part = random.nextInt(3) == 0 ? part(slot.from(), slot.length()) : slot;
    counts.add(RdmapEvent.REGIONS);
    return register(part, rights, foreign);
  }

  /** Names memory. */
  ModelStag register(Piece part, int rights, boolean foreign) {
    boolean otherDomain = foreign && random.nextBoolean();
    boolean otherStream = foreign && !otherDomain;
    boolean own = !foreign && random.nextInt(4) == 0;
    long baseTo = baseTo(part);
    int stag =
        table()
            .register(
                otherDomain ? stranger : machine.domain(),
                otherStream ? other() : own ? stream : null,
                memory.address(part.from()),
                part.length(),
                baseTo,
                rights);
    return add(new ModelStag(stag, null, part.from(), part.length(), baseTo, rights, foreign));
  }

  /** A stream of the same domain that never comes to anything. */
  private DdpStream other() {
    DdpSettings settings = new DdpSettings(MpaSettings.DEFAULTS, 1, 1, List.of());
    return DdpStream.responder(machine.ddp(), machine.domain(), settings, null);
  }

  private ModelStag add(ModelStag tag) {
    if (tag.stag() == 0) {
      machine.verdict().add("no STag was to be had");
    }
    live.add(tag);
    return tag;
  }

  private int rights() {
    int rights = random.nextInt(4) == 0 ? 0 : AccessRights.REMOTE_WRITE;
    rights |= random.nextInt(4) == 0 ? 0 : AccessRights.REMOTE_READ;
    rights |= random.nextInt(3) == 0 ? 0 : AccessRights.REMOTE_ATOMIC;
    return rights | (random.nextBoolean() ? AccessRights.REMOTE_INVALIDATE : 0);
  }

  private Piece part(int from, int length) {
    int first = random.nextInt(length);
    return new Piece(from + first, 1 + random.nextInt(length - first));
  }

  /** Zero, the address, or anything. */
  private long baseTo(Piece part) {
    long any = random.nextLong();
    return switch (random.nextInt(3)) {
      case 0 -> 0;
      case 1 -> memory.address(part.from());
      default -> Long.compareUnsigned(any, HIGHEST_TO) < 0 ? any : any >>> 1;
    };
  }

  /** Binds a window onto any region that allows it. */
  void bind() {
    int wanted = AccessRights.BIND | AccessRights.LOCAL_WRITE;
    ModelStag region = pick(wanted);
    if (region == null || region.window()) {
      return;
    }
    Piece part = part(region.from(), region.length());
    int rights = rights();
    long baseTo = baseTo(part);
    int stag =
        table()
            .bind(
                table().lookup(region.stag()),
                random.nextBoolean() ? stream : null,
                region.to(part.from()),
                part.length(),
                baseTo,
                rights);
    counts.add(RdmapEvent.WINDOWS);
    add(new ModelStag(stag, region, part.from(), part.length(), baseTo, rights, false));
  }

  /** Takes a name away: when this returns nothing happens by it any more. */
  void revoke(ModelStag tag) {
    counts.add(tag.window() ? RdmapEvent.WINDOWS_REVOKED : RdmapEvent.REVOCATIONS);
    boolean was = table().invalidate(tag.stag());
    if (!was) {
      machine.verdict().add("an STag that was to be revoked was not there");
    }
    gone(tag);
  }

  /** The peer has taken a name away. */
  void invalidated(ModelStag tag) {
    counts.add(RdmapEvent.INVALIDATED);
    gone(tag);
  }

  private void gone(ModelStag tag) {
    tag.revoke();
    memory.revoked(tag);
    List<ModelStag> under = live.stream().filter(one -> one.under(tag)).toList();
    for (ModelStag one : under) {
      if (table().lookup(one.stag()) != null) {
        machine.verdict().add("an STag that was revoked, or its window, still names memory");
      }
      if (one != tag) {
        // The name of a window whose region is gone names nothing, but it is still taken.
        table().invalidate(one.stag());
      }
      live.remove(one);
      dead.add(one);
    }
    while (dead.size() > MOST_DEAD) {
      dead.removeFirst();
    }
  }

  /** Takes every name away. */
  void revokeAll() {
    while (!live.isEmpty()) {
      revoke(live.getFirst());
    }
  }

  /** Whether any name leads to a range. */
  boolean named(int from, int end) {
    return live.stream().anyMatch(tag -> tag.from() < end && tag.end() > from);
  }
}
