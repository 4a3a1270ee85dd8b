package org.rddp.simulation.rdma;

import java.util.List;
import java.util.SplittableRandom;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.simulation.memory.Layout;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;

/** Gives names to one end's memory and takes them away, in order or in the middle of requests. */
final class RdmapStagChanges {
  private static final int MOST = 24;

  private final StreamEndpoint end;
  private final Layout layout;
  private final SplittableRandom random;

  RdmapStagChanges(StreamEndpoint end, Layout layout, SplittableRandom random) {
    this.end = end;
    this.layout = layout;
    this.random = random;
  }

  private Tags tags() {
    return end.tags();
  }

  /** The first names. */
  void begin() {
    layout.slots().forEach(slot -> tags().register(slot));
    tags().register(layout.slots().getFirst(), AccessRights.ALL, true);
  }

  /** Changes something about names, or writes into its own memory. */
  void step() {
    switch (random.nextInt(8)) {
      case 0, 1 -> register();
      case 2, 3, 4 -> tags().bind();
      case 5, 6 -> revokeUnused();
      default -> write();
    }
    if (tags().live().size() > MOST) {
      revokeUnused();
    }
    end.peer().poke();
  }

  private void register() {
    if (tags().live().size() >= MOST) {
      return;
    }
    Piece slot = layout.slots().get(random.nextInt(layout.slots().size()));
    if (tags().named(slot.from(), slot.from() + slot.length())) {
      end.counts().add(RdmapEvent.ALIASES);
    }
    tags().register(slot);
  }

  /** The program writes where nobody else does. */
  private void write() {
    Piece slot = layout.slots().get(random.nextInt(layout.slots().size()));
    int length = 1 + random.nextInt(slot.length());
    int from = slot.from() + random.nextInt(slot.length() - length + 1);
    if (end.memory().isIdle(from, from + length)) {
      end.posts().overwrite(from, length);
    }
  }

  /** A name that nothing is under way by. */
  private void revokeUnused() {
    ModelStag tag = any();
    if (tag != null && !tag.givenUp() && !used(tag) && !pinned(tag)) {
      revoke(tag);
    }
  }

  private boolean used(ModelStag tag) {
    return end.memory().hasWrites(tag)
        || end.memory().hasReads(tag)
        || tags().live().stream().anyMatch(one -> one.under(tag) && one.givenUp());
  }

  private boolean pinned(ModelStag tag) {
    return tags().live().stream().anyMatch(one -> one.under(tag) && one.pinned());
  }

  private ModelStag any() {
    List<ModelStag> live = tags().live();
    ModelStag tag = live.isEmpty() ? null : live.get(random.nextInt(live.size()));
    return tag == end.sinkTag() ? null : tag;
  }

  /** What was a region once is filled anew: whatever is placed there now shows. */
  private void revoke(ModelStag tag) {
    tags().revoke(tag);
    if (end.memory().isIdle(tag.from(), tag.end())) {
      end.posts().overwrite(tag.from(), tag.length());
    }
  }

  /** Takes a name away that requests of the peer's are under way by; false if there is none. */
  boolean revokeUsed() {
    ModelStag tag =
        tags().live().stream().filter(one -> used(one) && !pinned(one)).findFirst().orElse(null);
    if (tag == null || tag == end.sinkTag()) {
      return false;
    }
    end.errors().races(tag);
    revoke(tag);
    return true;
  }

  /** Takes the sink of its own reads away; false if none is under way. */
  boolean revokeSink() {
    if (end.outstanding().asking() == 0) {
      return false;
    }
    end.errors().racesSink();
    end.revokeSink();
    return true;
  }
}
