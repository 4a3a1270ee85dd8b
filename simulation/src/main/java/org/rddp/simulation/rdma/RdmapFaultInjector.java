package org.rddp.simulation.rdma;

import java.util.List;
import java.util.SplittableRandom;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.simulation.memory.AtomicOperation;
import org.rddp.simulation.memory.ModelStag;

/** Posts a request that the peer must not carry out. */
final class RdmapFaultInjector {
  private static final int MOST = 4096;

  /** Those that the peer seldom offers an opportunity for. */
  private static final List<Fault> RARE =
      List.of(
          Fault.WRITE_FOREIGN,
          Fault.READ_FOREIGN,
          Fault.ATOMIC_FOREIGN,
          Fault.SEND_NO_RECEIVE,
          Fault.SEND_NO_RECEIVE);

  private final StreamEndpoint end;
  private final Tags tags;
  private final Posts posts;
  private final SplittableRandom random;

  RdmapFaultInjector(StreamEndpoint end, SplittableRandom random) {
    this.end = end;
    this.random = random;
    tags = end.peer().tags();
    posts = end.posts();
  }

  /** Posts one of any kind; false if the peer offers nothing that it could be done with. */
  boolean commit() {
    boolean rare = random.nextInt(3) == 0;
    List<Fault> all = List.of(Fault.values());
    Fault any = all.get(random.nextInt(all.size()));
    Fault fault = rare ? RARE.get(random.nextInt(RARE.size())) : any;
    if (fault.kind() != Fault.Kind.WRITE && end.peer().closing()) {
      return false;
    }
    return switch (fault) {
      case WRITE_UNKNOWN, READ_UNKNOWN, ATOMIC_UNKNOWN -> name(fault, tags.noName());
      case WRITE_REVOKED, READ_REVOKED, ATOMIC_REVOKED -> revoked(fault);
      case WRITE_RIGHTS, READ_RIGHTS, ATOMIC_RIGHTS -> inside(fault, tags.without(right(fault)));
      case WRITE_FOREIGN, READ_FOREIGN, ATOMIC_FOREIGN -> inside(fault, tags.foreign());
      case WRITE_BOUNDS, READ_BOUNDS, ATOMIC_BOUNDS -> beyond(fault);
      case WRITE_WRAP, READ_WRAP, ATOMIC_WRAP -> wrapping(fault);
      case ATOMIC_UNALIGNED -> unaligned(fault);
      case SEND_NO_RECEIVE -> sendTooMany(fault);
      case SEND_TOO_LONG -> sendTooLong(fault);
      case SEND_INVALIDATES -> sendInvalidating(fault);
    };
  }

  private static int right(Fault fault) {
    return switch (fault.kind()) {
      case WRITE -> AccessRights.REMOTE_WRITE;
      case READ -> AccessRights.REMOTE_READ;
      case ATOMIC -> AccessRights.REMOTE_ATOMIC;
      case SEND -> AccessRights.REMOTE_INVALIDATE;
    };
  }

  /** Asks for memory, of which nothing is to be touched. */
  private boolean post(Fault fault, int stag, long to, int length) {
    return switch (fault.kind()) {
      case WRITE -> posts.write(stag, to, length, null, 0, false, fault);
      case READ ->
          posts.read(stag, to, null, 0, Math.min(length, posts.mostRead()), 0, false, fault);
      case ATOMIC ->
          posts.atomic(
              stag, to, null, 0, AtomicOperation.draw(random, new byte[Long.BYTES]), 0, fault);
      case SEND -> false;
    };
  }

  /** The name of something that is not to be revoked before the fault is found. */
  private static int pinned(ModelStag tag) {
    tag.pin();
    return tag.stag();
  }

  private boolean name(Fault fault, int stag) {
    return post(fault, stag, random.nextLong() >>> 1, 1 + random.nextInt(MOST));
  }

  private boolean revoked(Fault fault) {
    int stag = tags.deadName();
    return stag != 0 && name(fault, stag);
  }

  private boolean inside(Fault fault, ModelStag tag) {
    return tag != null && post(fault, pinned(tag), tag.to(tag.from()), 1 + random.nextInt(MOST));
  }

  /** Begins inside or at the end, or lies before the beginning. */
  private boolean beyond(Fault fault) {
    ModelStag tag = tags.pick(right(fault));
    if (tag == null) {
      return false;
    }
    int length = 1 + random.nextInt(Math.min(MOST, posts.mostRead()));
    if (fault.kind() == Fault.Kind.WRITE) {
      int inside = random.nextInt(Math.min(tag.length(), length) + 1);
      int at = tag.end() - inside;
      Reach reach = inside == 0 ? null : Reach.of(tag, at, inside);
      return write(fault, tag, tag.to(at), inside + length, reach);
    }
    int least = fault.kind() == Fault.Kind.ATOMIC ? Long.BYTES : length;
    int at = tag.end() - random.nextInt(Math.min(tag.length(), least));
    return post(fault, pinned(tag), tag.to(at), length);
  }

  /** Writes what may be placed in part. */
  private boolean write(Fault fault, ModelStag tag, long to, int length, Reach reach) {
    if (reach != null && end.peer().memory().hasAtomic(reach.at(), reach.at() + reach.octets())) {
      return false;
    }
    return posts.write(pinned(tag), to, length, reach, 0, false, fault);
  }

  private boolean wrapping(Fault fault) {
    ModelStag tag = tags.pick(right(fault));
    if (tag == null) {
      return false;
    }
    int before = 1 + random.nextInt(8);
    int length = 16 + random.nextInt(MOST);
    return fault.kind() == Fault.Kind.WRITE
        ? write(fault, tag, -before, length, behindWrap(tag, before, length))
        : post(fault, pinned(tag), -before, length);
  }

  /**
   * A segment is judged by its own header (RFC 5041 section 7.1) and may be placed before those in
   * front of it (section 5.3): one behind the wrap, at a TO that the STag has, is right by itself
   * as long as the one that wraps has not come.
   */
  private static Reach behindWrap(ModelStag tag, int before, int length) {
    long firstTo = tag.to(tag.from());
    long behind = (long) length - before;
    if (Long.compareUnsigned(firstTo, behind) >= 0) {
      return null;
    }
    int octets = (int) Math.min(tag.length(), behind - firstTo);
    return new Reach(tag, tag.from(), octets, before + (int) firstTo);
  }

  private boolean unaligned(Fault fault) {
    ModelStag tag = tags.pick(AccessRights.REMOTE_ATOMIC);
    if (tag == null || tag.length() < 2 * Long.BYTES) {
      return false;
    }
    int at = (tag.from() & -Long.BYTES) + 1 + random.nextInt(Long.BYTES - 1);
    at += at < tag.from() ? Long.BYTES : 0;
    return post(fault, pinned(tag), tag.to(at), Long.BYTES);
  }

  private boolean sendTooMany(Fault fault) {
    boolean strict = end.peer().settings().heldOctets() == 0;
    if (!strict || end.out().spare() > 0 || end.out().lacking() > 0) {
      return false;
    }
    boolean posted = posts.send(random.nextInt(MOST), 0, null, 0, fault);
    if (posted) {
      end.peer().program().starve();
    }
    return posted;
  }

  private boolean sendTooLong(Fault fault) {
    RdmapReceive receive = end.out().nextReceive();
    return receive != null
        && posts.send(receive.length() + 1 + random.nextInt(MOST), 0, null, 0, fault);
  }

  private boolean sendInvalidating(Fault fault) {
    RdmapReceive receive = end.out().nextReceive();
    ModelStag tag = tags.without(AccessRights.REMOTE_INVALIDATE);
    int stag = tag == null || random.nextBoolean() ? tags.noName() : pinned(tag);
    return receive != null
        && posts.send(random.nextInt(receive.length() + 1), 0, null, stag, fault);
  }
}
