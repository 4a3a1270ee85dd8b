package org.rddp.simulation.programs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.rddp.client.types.Access;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.Reason;
import org.rddp.client.types.WindowKind;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;

/** The regions and windows of one end's memory, as it registers, binds and revokes them. */
final class EndpointStags {
  private static final int MOST_REGIONS = 8;
  private static final int MOST_WINDOWS = 4;
  private static final int MOST_REVOKED = 16;

  private final ProgramEndpoint end;
  private final SplittableRandom random;
  private final List<ModelStag> live = new ArrayList<>();

  /** Regions to be deregistered, also those whose STag was invalidated. */
  private final List<ModelStag> owed = new ArrayList<>();

  /** STags that were revoked. */
  private final Deque<Integer> revoked = new ArrayDeque<>();

  private final List<ModelWindow> windows = new ArrayList<>();
  private int localStag;
  private int asked;

  EndpointStags(ProgramEndpoint end) {
    this.end = end;
    random = end.program().random().split();
  }

  private SimulatedProgram program() {
    return end.program();
  }

  // ---- Regions ----

  /** Registers the region that the end's own requests name, and some for the peer. */
  void begin() {
    Piece own = end.layout().own();
    asked++;
    program()
        .control(
            "a region",
            () ->
                program()
                    .register(
                        end.memory().address(own.from()),
                        own.length(),
                        Access.LOCAL_WRITE.bit(),
                        0),
            stag -> {
              asked--;
              localStag = stag;
              owed.add(new ModelStag(stag, null, own.from(), own.length(), 0, 0, false));
            });
    end.layout().slots().forEach(this::register);
  }

  /** The STag of the region that the end's own requests name; 0 before it is registered. */
  int localStag() {
    return localStag;
  }

  /** Registers a slot or a part of it, sometimes for the connection alone. */
  private void register(Piece slot) {
    int from = random.nextInt(3) == 0 ? random.nextInt(slot.length()) : 0;
    int length = random.nextInt(3) == 0 ? 1 + random.nextInt(slot.length() - from) : -1;
    Piece part = new Piece(slot.from() + from, length < 0 ? slot.length() - from : length);
    int only = end.state().established && random.nextInt(3) == 0 ? end.connection() : 0;
    int drawn = rights() | Access.LOCAL_WRITE.bit() | (random.nextBoolean() ? bind() : 0);
    int rights = only == 0 ? drawn & ~Access.REMOTE_INVALIDATE.bit() : drawn;
    asked++;
    program()
        .control(
            () ->
                program().register(end.memory().address(part.from()), part.length(), rights, only),
            stag -> {
              asked--;
              ModelStag tag =
                  new ModelStag(stag, null, part.from(), part.length(), 0, rights, only != 0);
              live.add(tag);
              owed.add(tag);
            },
            e -> {
              asked--;
              boolean gone = only != 0 && e.reason() == Reason.NOT_FOUND;
              end.verify(gone, "a region was refused: " + e.getMessage());
            });
  }

  private static int bind() {
    return Access.MW_BIND.bit();
  }

  private int rights() {
    int rights = random.nextInt(4) == 0 ? 0 : Access.REMOTE_WRITE.bit();
    rights |= random.nextInt(4) == 0 ? 0 : Access.REMOTE_READ.bit();
    rights |= random.nextInt(3) == 0 ? 0 : Access.REMOTE_ATOMIC.bit();
    rights |= rights == 0 ? Access.REMOTE_READ.bit() : 0; // a window needs some
    return rights | (random.nextBoolean() ? Access.REMOTE_INVALIDATE.bit() : 0);
  }

  /** One that a correct request may use with these rights, or null. */
  ModelStag pick(int rights) {
    return pick(tag -> tag.usable(rights));
  }

  /** One that a correct request may invalidate, or null. */
  ModelStag pickExclusive() {
    return pick(tag -> tag.usable(0) && tag.exclusive());
  }

  /** A valid one that no peer may invalidate, since connections share it; or null. */
  ModelStag shared() {
    return pick(tag -> tag.usable(0) && !tag.exclusive());
  }

  private ModelStag pick(Predicate<ModelStag> suits) {
    if (live.isEmpty()) {
      return null;
    }
    int from = random.nextInt(live.size());
    for (int i = 0; i < live.size(); i++) {
      ModelStag tag = live.get((from + i) % live.size());
      if (suits.test(tag)) {
        return tag;
      }
    }
    return null;
  }

  /** A valid one without all of these rights, or null. */
  ModelStag without(int rights) {
    return live.stream()
        .filter(tag -> tag.live() && !tag.givenUp() && !tag.permits(rights))
        .findAny()
        .orElse(null);
  }

  /**
   * One of another program or connection of this engine, which the peer's stream may not use; or
   * null.
   */
  ModelStag foreign() {
    List<ModelStag> found = new ArrayList<>();
    for (SimulatedProgram other : program().host().programs()) {
      if (other.engine() != program().engine()) {
        continue;
      }
      for (ProgramEndpoint one : other.ends()) {
        boolean stranger = other != program();
        one.stags().live.stream()
            .filter(tag -> !one.equals(end) && tag.live() && (stranger || tag.exclusive()))
            .forEach(found::add);
      }
    }
    return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
  }

  /** A region of the program that only another connection may use, or null. */
  ModelStag boundElsewhere() {
    return program().ends().stream()
        .filter(one -> !one.equals(end))
        .flatMap(one -> one.stags().live.stream())
        .filter(tag -> !tag.window() && tag.exclusive() && tag.live() && !tag.givenUp())
        .findFirst()
        .orElse(null);
  }

  private boolean isKnown(int stag) {
    return stag == 0
        || program().host().engine(program().engine()).ddp().taggedBuffers().lookup(stag) != null;
  }

  /** An STag that was revoked; 0 if there is none. */
  int revoked() {
    int stag = revoked.isEmpty() ? 0 : List.copyOf(revoked).get(random.nextInt(revoked.size()));
    return isKnown(stag) ? 0 : stag;
  }

  /** An STag that was never assigned. */
  int unknown() {
    int stag = random.nextInt();
    while (isKnown(stag)) {
      stag = random.nextInt();
    }
    return stag;
  }

  /** Whether pending requests of the peer use it or invalidate it. */
  private boolean used(ModelStag tag) {
    return end.memory().hasWrites(tag) || end.memory().hasReads(tag) || invalidated(tag);
  }

  /** Whether a pending message of the peer invalidates it or a window bound to it. */
  boolean invalidated(ModelStag tag) {
    return live.stream().anyMatch(one -> one.under(tag) && one.givenUp());
  }

  /** Whether a pending request of the program names it. */
  private boolean named(ModelStag tag) {
    return program().ends().stream().anyMatch(one -> one.outstanding().names(tag));
  }

  /** Whether no pending request names a region. */
  boolean unnamed() {
    return owed.stream().noneMatch(this::named);
  }

  private boolean pinned(ModelStag tag) {
    return live.stream().anyMatch(one -> one.under(tag) && one.pinned());
  }

  // ---- Changes ----

  /** Registers, deregisters, allocates, frees, binds or invalidates. */
  void step(boolean withWindows) {
    switch (random.nextInt(withWindows ? 8 : 3)) {
      case 0 -> {
        List<Piece> slots = end.layout().slots();
        if (owed.size() + asked < MOST_REGIONS) {
          register(slots.get(random.nextInt(slots.size())));
        }
      }
      case 1, 2 -> deregisterUnused();
      case 3 -> allocate();
      case 4 -> freeUnused();
      default -> bindOrInvalidate();
    }
  }

  private void deregisterUnused() {
    ModelStag tag = owed.isEmpty() ? null : owed.get(random.nextInt(owed.size()));
    boolean own = tag != null && tag.stag() == localStag;
    if (tag == null || own || used(tag) || pinned(tag) || named(tag)) {
      return;
    }
    deregister(tag, false);
  }

  private boolean hasWindow(ModelStag region) {
    return windows.stream().anyMatch(one -> one.isBound() && one.bound().under(region));
  }

  private void deregister(ModelStag tag, boolean last) {
    boolean bound = hasWindow(tag) && tag.live();
    if (bound) {
      // Unless the peer invalidates the window before the daemon looks: then it does not refuse.
      tag.leaves(true);
    } else {
      tag.giveUp();
    }
    owed.remove(tag);
    asked++;
    program()
        .control(
            () -> {
              program().session().deregister(tag.stag());
              revoked(tag);
              return tag;
            },
            any -> {
              asked--;
              end.count(ProgramEvent.DEREGISTERED);
              end.verify(!bound || !stillBound(tag), "deregistered under a window");
            },
            e -> {
              asked--;
              end.count(ProgramEvent.STILL_BOUND);
              owed.add(tag);
              tag.leaves(false);
              end.verify(bound && !last, "a deregistration was refused: " + e.getMessage());
            });
  }

  private boolean stillBound(ModelStag region) {
    return hasWindow(region) && region.live();
  }

  /** The STag was revoked. */
  void revoked(ModelStag tag) {
    tag.revoke();
    end.memory().revoked(tag);
    live.stream().filter(one -> one.under(tag)).forEach(one -> revoked.add(one.stag()));
    live.removeIf(one -> one.under(tag));
    while (revoked.size() > MOST_REVOKED) {
      revoked.remove();
    }
  }

  // ---- Windows ----

  private void allocate() {
    if (windows.size() >= MOST_WINDOWS) {
      return;
    }
    asked++;
    program()
        .control(
            "a window",
            () -> program().session().allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT),
            window -> {
              asked--;
              windows.add(new ModelWindow(window.number(), window.nextStag()));
            });
  }

  private void freeUnused() {
    ModelWindow window = any();
    if (window == null || window.binds() > 0) {
      return;
    }
    ModelStag tag = window.bound();
    boolean busy = window.isBound() && (used(tag) || pinned(tag) || named(tag));
    if (!busy) {
      free(window);
    }
  }

  private void free(ModelWindow window) {
    ModelStag tag = window.bound();
    if (window.isBound()) {
      tag.giveUp();
    }
    windows.remove(window);
    asked++;
    program()
        .control(
            "the end of a window",
            () -> {
              program().session().freeWindow(window.number());
              if (tag != null) {
                revoked(tag);
              }
              return window;
            },
            any -> {
              asked--;
              end.count(ProgramEvent.WINDOWS_FREED);
            });
  }

  private ModelWindow any() {
    return windows.isEmpty() ? null : windows.get(random.nextInt(windows.size()));
  }

  private void bindOrInvalidate() {
    ModelWindow window = any();
    if (window == null) {
      allocate();
    } else if (window.isBound() && random.nextInt(8) > 0) {
      invalidate(window.bound());
      if (end.outstanding().invalidates(window.bound()) && random.nextBoolean()) {
        bind(window);
      }
    } else {
      bind(window);
    }
  }

  private void invalidate(ModelStag tag) {
    if (tag.givenUp() || used(tag) || pinned(tag)) {
      return;
    }
    if (((RdmapEndpoint) end).postInvalidate(tag)) {
      tag.giveUp();
    }
  }

  /** Binds a window; sometimes one that is bound already, or to a region that does not allow it. */
  private void bind(ModelWindow window) {
    ModelStag region =
        live.stream().filter(one -> !one.window() && one.usable(0)).findAny().orElse(null);
    if (region == null || window.binds() > 0) {
      return;
    }
    boolean allowed = region.permits(bind());
    if (!allowed && random.nextInt(8) > 0) {
      region = pickRegion();
    }
    if (region == null) {
      return;
    }
    int from = random.nextInt(region.length());
    int length = 1 + random.nextInt(region.length() - from);
    ModelStag tag =
        new ModelStag(window.nextStag(), region, region.from() + from, length, 0, rights(), true);
    boolean behind = window.isBound() && end.outstanding().invalidates(window.bound());
    boolean fails = (window.isBound() && !behind) || !region.permits(bind());
    if (window.isBound() && window.bound().givenUp() && !behind) {
      // The order of the peer's invalidation and of this bind is not known.
      return;
    }
    ((RdmapEndpoint) end).postBind(window, region, from, tag, fails);
  }

  private ModelStag pickRegion() {
    return live.stream().filter(one -> !one.window() && one.usable(bind())).findAny().orElse(null);
  }

  /** A bind has succeeded. */
  void bound(ModelWindow window, ModelStag tag) {
    window.bound(tag);
    live.add(tag);
  }

  /** The connection has ended, which unbinds its windows. */
  void released() {
    for (ModelWindow window : windows) {
      if (window.bound() != null && window.isBound()) {
        revoked(window.bound());
      }
    }
  }

  // ---- Release ----

  /** The session has ended, which revokes every STag. */
  void gone() {
    live.forEach(ModelStag::revoke);
  }

  /** Revokes an STag that the peer uses; false if there is none. */
  boolean race() {
    ModelStag tag =
        live.stream()
            .filter(one -> used(one) && !one.givenUp() && !pinned(one))
            .findFirst()
            .orElse(null);
    if (tag == null || named(tag) || (!tag.window() && hasWindow(tag))) {
      return false;
    }
    if (!tag.window()) {
      if (!owed.contains(tag)) {
        return false;
      }
      end.races(tag);
      deregister(tag, false);
      return true;
    }
    ModelWindow window =
        windows.stream().filter(one -> one.bound() == tag).findFirst().orElse(null);
    if (window == null || window.binds() > 0) {
      return false;
    }
    end.races(tag);
    free(window);
    return true;
  }

  /** Releases everything; no call may be refused. */
  void tidy() {
    // No window is bound now, so regions may be deregistered first.
    boolean regionsFirst = random.nextBoolean();
    if (!regionsFirst) {
      List.copyOf(windows).forEach(this::free);
    }
    List.copyOf(owed).forEach(tag -> deregister(tag, true));
    List.copyOf(windows).forEach(this::free);
  }

  /** Whether every control call was answered. */
  boolean quiet() {
    return asked == 0;
  }

  /** Whether everything is released. */
  boolean tidied() {
    return asked == 0 && owed.isEmpty() && windows.isEmpty();
  }
}
