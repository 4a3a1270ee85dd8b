package org.rddp.simulation.programs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Piece;

/**
 * The STags by which one end's memory may be used: regions and windows onto them, as they come and
 * go over the control socket.
 */
final class EndpointStags {
  private static final int MOST_REGIONS = 8;
  private static final int MOST_WINDOWS = 4;
  private static final int MOST_REVOKED = 16;

  private final ProgramEndpoint end;
  private final SplittableRandom random;
  private final List<ModelStag> live = new ArrayList<>();

  /** Regions whose registration stands, also those whose STag has been invalidated. */
  private final List<ModelStag> owed = new ArrayList<>();

  /** STags that name nothing any more. */
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

  /** The region that requests of the end itself name, and some that the peer may use. */
  void begin() {
    Piece own = end.own();
    asked++;
    program()
        .control(
            "a region",
            () ->
                program()
                    .session()
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

  /** The STag of the region that requests of the end itself name; 0 while it has none. */
  int localStag() {
    return localStag;
  }

  /** Registers a part of a slot, or all of it, some of them for the connection alone. */
  private void register(Piece slot) {
    int from = random.nextInt(3) == 0 ? random.nextInt(slot.length()) : 0;
    int length = random.nextInt(3) == 0 ? 1 + random.nextInt(slot.length() - from) : -1;
    Piece part = new Piece(slot.from() + from, length < 0 ? slot.length() - from : length);
    int rights = rights() | Access.LOCAL_WRITE.bit() | (random.nextBoolean() ? bind() : 0);
    int only = end.established() && random.nextInt(3) == 0 ? end.connection() : 0;
    asked++;
    program()
        .control(
            () ->
                program()
                    .session()
                    .register(end.memory().address(part.from()), part.length(), rights, only),
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
    rights |= rights == 0 ? Access.REMOTE_READ.bit() : 0; // a window gives some
    return rights | (random.nextBoolean() ? Access.REMOTE_INVALIDATE.bit() : 0);
  }

  /** One that allows this to a peer that does nothing wrong; or null. */
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

  /** One of this end's that exists and does not allow this, or null. */
  ModelStag without(int rights) {
    return live.stream()
        .filter(tag -> tag.live() && !tag.givenUp() && !tag.permits(rights))
        .findAny()
        .orElse(null);
  }

  /** One of its host that the peer's stream may not use: of another program, or connection; or null. */
  ModelStag foreign() {
    List<ModelStag> found = new ArrayList<>();
    for (SimulatedProgram other : program().host().programs()) {
      for (ProgramEndpoint one : other.ends()) {
        boolean stranger = other != program();
        one.stags().live.stream()
            .filter(tag -> one != end && tag.live() && (stranger || tag.exclusive()))
            .forEach(found::add);
      }
    }
    return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
  }

  /** A region of its program that only another connection may use, or null. */
  ModelStag boundElsewhere() {
    return program().ends().stream()
        .filter(one -> one != end)
        .flatMap(one -> one.stags().live.stream())
        .filter(tag -> !tag.window() && tag.exclusive() && tag.live() && !tag.givenUp())
        .findFirst()
        .orElse(null);
  }

  private boolean isKnown(int stag) {
    return stag == 0 || program().host().engine().ddp().taggedBuffers().lookup(stag) != null;
  }

  /** The STag of something that is gone; 0 if there is none. */
  int revoked() {
    int stag = revoked.isEmpty() ? 0 : List.copyOf(revoked).get(random.nextInt(revoked.size()));
    return isKnown(stag) ? 0 : stag;
  }

  /** An STag that names nothing. */
  int unknown() {
    int stag = random.nextInt();
    while (isKnown(stag)) {
      stag = random.nextInt();
    }
    return stag;
  }

  /** Whether requests of the peer's are under way by it, or one that invalidates it. */
  private boolean used(ModelStag tag) {
    return end.memory().hasWrites(tag) || end.memory().hasReads(tag) || invalidated(tag);
  }

  /** Whether a message of the peer's that invalidates it, or a window onto it, is under way. */
  boolean invalidated(ModelStag tag) {
    return live.stream().anyMatch(one -> one.under(tag) && one.givenUp());
  }

  /** Whether a request of its program's names it that has not ended. */
  private boolean named(ModelStag tag) {
    return program().ends().stream().anyMatch(one -> one.outstanding().names(tag));
  }

  /** Whether nothing that is to be taken back is named by a request. */
  boolean unnamed() {
    return owed.stream().noneMatch(this::named);
  }

  private boolean pinned(ModelStag tag) {
    return live.stream().anyMatch(one -> one.under(tag) && one.pinned());
  }

  // ---- What an end does now and then ----

  /** Changes something about names. */
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
    if (!bound) {
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
              end.verify(bound && !last, "a deregistration was refused: " + e.getMessage());
            });
  }

  private boolean stillBound(ModelStag region) {
    return hasWindow(region) && region.live();
  }

  /** The STag names nothing any more, which the engine has just said or is about to show. */
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
            () -> program().session().allocateWindow(),
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

  /** Binds it to any region; now and then one that is bound, or to a region that is not for it. */
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
      // Nobody here knows which of the two is first.
      return;
    }
    ((RdmapEndpoint) end).postBind(window, region, from, tag, fails);
  }

  private ModelStag pickRegion() {
    return live.stream().filter(one -> !one.window() && one.usable(bind())).findAny().orElse(null);
  }

  /** A bind has ended well. */
  void bound(ModelWindow window, ModelStag tag) {
    window.bound(tag);
    live.add(tag);
  }

  /** The connection is gone, and with it its windows' bindings. */
  void released() {
    for (ModelWindow window : windows) {
      if (window.bound() != null && window.isBound()) {
        revoked(window.bound());
      }
    }
  }

  // ---- The end ----

  /** The session is gone, and with it every STag. */
  void gone() {
    live.forEach(ModelStag::revoke);
  }

  /** Takes an STag away that the peer uses; false if there is none. */
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

  /** Takes everything back; nothing may be refused. */
  void tidy() {
    // No window is bound any more, so the regions may go before them too.
    boolean regionsFirst = random.nextBoolean();
    if (!regionsFirst) {
      List.copyOf(windows).forEach(this::free);
    }
    List.copyOf(owed).forEach(tag -> deregister(tag, true));
    List.copyOf(windows).forEach(this::free);
  }

  /** Whether all that was asked for has been answered. */
  boolean quiet() {
    return asked == 0;
  }

  /** Whether nothing is left. */
  boolean tidied() {
    return asked == 0 && owed.isEmpty() && windows.isEmpty();
  }
}
