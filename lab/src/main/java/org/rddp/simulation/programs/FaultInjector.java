package org.rddp.simulation.programs;

import java.util.List;
import java.util.SplittableRandom;
import org.rddp.client.types.Access;
import org.rddp.simulation.memory.AtomicOperation;
import org.rddp.simulation.memory.ModelStag;

/** Posts one request that the peer must refuse with a certain error. */
final class FaultInjector {
  private static final int LONGEST = 4096;

  /** Attempts after which it tries another fault. */
  private static final int MOST_ATTEMPTS = 24;

  /** Faults that are seldom possible, and are therefore chosen more often. */
  private static final List<Fault> RARE =
      List.of(
          Fault.WRITE_FOREIGN,
          Fault.READ_FOREIGN,
          Fault.ATOMIC_FOREIGN,
          Fault.SEND_NO_RECEIVE,
          Fault.SEND_INVALIDATES);

  private final RdmapEndpoint end;
  private final RdmapPosts posts;
  private final SplittableRandom random;
  private Fault fault;
  private int attempts;

  FaultInjector(RdmapEndpoint end, RdmapPosts posts) {
    this.end = end;
    this.posts = posts;
    random = end.random().split();
  }

  private EndpointStags stags() {
    return end.peer().stags();
  }

  /** Posts it; false if it cannot be done now. */
  boolean inject() {
    if (attempts++ % MOST_ATTEMPTS == 0) {
      List<Fault> all = random.nextInt(3) == 0 ? RARE : List.of(Fault.values());
      fault = all.get(random.nextInt(all.size()));
    }
    if (fault.kind() == Fault.Kind.ATOMIC && !end.extended()) {
      return false;
    }
    if (fault.kind() != Fault.Kind.WRITE && end.peer().state().closing) {
      return false;
    }
    return switch (fault) {
      case WRITE_UNKNOWN, READ_UNKNOWN, ATOMIC_UNKNOWN -> postAnywhere(stags().unknown());
      case WRITE_REVOKED, READ_REVOKED, ATOMIC_REVOKED -> postAnywhere(stags().revoked());
      case WRITE_RIGHTS, READ_RIGHTS, ATOMIC_RIGHTS -> postInside(stags().without(right()));
      case WRITE_FOREIGN, READ_FOREIGN, ATOMIC_FOREIGN -> postInside(stags().foreign());
      case WRITE_BOUNDS, READ_BOUNDS, ATOMIC_BOUNDS -> postBeyond();
      case WRITE_WRAP, READ_WRAP, ATOMIC_WRAP -> postWrapping();
      case ATOMIC_UNALIGNED -> postUnaligned();
      case SEND_NO_RECEIVE -> sendWithoutReceive();
      case SEND_TOO_LONG -> sendTooLong();
      case SEND_INVALIDATES -> sendInvalidating();
    };
  }

  private int right() {
    Access right =
        switch (fault.kind()) {
          case WRITE -> Access.REMOTE_WRITE;
          case READ -> Access.REMOTE_READ;
          case ATOMIC -> Access.REMOTE_ATOMIC;
          case SEND -> throw new IllegalStateException("a Send needs no right");
        };
    return right.bit();
  }

  /** Posts a request of which no octet may be placed or read. */
  private boolean post(int stag, long to, int length) {
    return switch (fault.kind()) {
      case WRITE -> posts.write(stag, to, length, null, 0, false, fault);
      case READ -> posts.read(stag, to, null, 0, Math.min(length, posts.longestRead()), 0, fault);
      case ATOMIC ->
          posts.atomic(
              stag, to, null, 0, AtomicOperation.draw(random, new byte[Long.BYTES]), 0, fault);
      case SEND -> false;
    };
  }

  /** The STag of memory that stays registered until the fault is found. */
  private int pinned(ModelStag tag) {
    tag.pin();
    end.errors().names(tag);
    return tag.stag();
  }

  private boolean postAnywhere(int stag) {
    return stag != 0 && post(stag, random.nextLong() >>> 1, 1 + random.nextInt(LONGEST));
  }

  private boolean postInside(ModelStag tag) {
    return tag != null && post(pinned(tag), tag.to(tag.from()), 1 + random.nextInt(LONGEST));
  }

  /** Begins inside the range or at its end, and exceeds it, often by a single octet. */
  private boolean postBeyond() {
    ModelStag tag = stags().pick(right());
    if (tag == null) {
      return false;
    }
    int beyond = beyond();
    if (fault.kind() == Fault.Kind.ATOMIC) {
      int inside = random.nextInt(Math.min(tag.length() + 1, Long.BYTES));
      return post(pinned(tag), tag.to(tag.end() - inside), Long.BYTES);
    }
    int inside = random.nextInt(Math.min(tag.length(), LONGEST) + 1);
    int at = tag.end() - inside;
    if (fault.kind() == Fault.Kind.READ) {
      inside = Math.min(inside, posts.longestRead() - beyond);
      return inside >= 0 && post(pinned(tag), tag.to(tag.end() - inside), inside + beyond);
    }
    PlaceablePart part = inside == 0 ? null : PlaceablePart.of(tag, at, inside);
    return write(tag, tag.to(at), inside + beyond, part);
  }

  /** Posts a wrong write that may be placed in part. */
  private boolean write(ModelStag tag, long to, int length, PlaceablePart part) {
    if (part != null && end.peer().memory().hasAtomic(part.at(), part.at() + part.octets())) {
      return false;
    }
    return posts.write(pinned(tag), to, length, part, 0, false, fault);
  }

  private int beyond() {
    return random.nextBoolean() ? 1 : 1 + random.nextInt(LONGEST);
  }

  private boolean postWrapping() {
    ModelStag tag = stags().pick(right());
    if (tag == null) {
      return false;
    }
    int before = 1 + random.nextInt(8);
    int length = 16 + random.nextInt(LONGEST);
    return fault.kind() == Fault.Kind.WRITE
        ? write(tag, -before, length, behindWrap(tag, before, length))
        : post(pinned(tag), -before, length);
  }

  /**
   * A segment is judged by its own header (RFC 5041 section 7.1) and may be placed before those in
   * front of it (section 5.3): one behind the wrap, at a TO that the STag has, is right by itself
   * as long as the one that wraps has not come.
   */
  private static PlaceablePart behindWrap(ModelStag tag, int before, int length) {
    long firstTo = tag.to(tag.from());
    long behind = (long) length - before;
    if (Long.compareUnsigned(firstTo, behind) >= 0) {
      return null;
    }
    int octets = (int) Math.min(tag.length(), behind - firstTo);
    return new PlaceablePart(tag, tag.from(), octets, before + (int) firstTo);
  }

  private boolean postUnaligned() {
    ModelStag tag = stags().pick(right());
    if (tag == null || tag.length() < 2 * Long.BYTES) {
      return false;
    }
    int at = (tag.from() & -Long.BYTES) + 1 + random.nextInt(Long.BYTES - 1);
    at += at < tag.from() ? Long.BYTES : 0;
    return post(pinned(tag), tag.to(at), Long.BYTES);
  }

  private boolean sendWithoutReceive() {
    boolean sent =
        end.other().isStrict()
            && end.other().longestMessage() < 0
            && posts.send(random.nextInt(LONGEST), 0, null, 0, false, fault);
    if (sent) {
      end.peer().state().receivesStopped = true;
    }
    return sent;
  }

  private boolean sendTooLong() {
    PostedReceive receive = end.other().nextReceive();
    int beyond = beyond();
    return receive != null && posts.send(receive.length() + beyond, 0, null, 0, false, fault);
  }

  private boolean sendInvalidating() {
    PostedReceive receive = end.other().nextReceive();
    ModelStag tag = random.nextBoolean() ? stags().shared() : stags().foreign();
    int stag = tag == null || random.nextInt(4) == 0 ? stags().unknown() : pinned(tag);
    return receive != null
        && posts.send(random.nextInt(receive.length() + 1), 0, null, stag, false, fault);
  }
}
