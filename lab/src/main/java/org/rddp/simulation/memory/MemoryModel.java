package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rddp.simulation.Violations;
import org.rddp.wire.Memory;

/**
 * A model of the memory of one end: the octets of regions and receive buffers, those between them,
 * and those of former regions.
 *
 * <p>An octet must not change, unless a request that is not known to be complete may place one
 * there: then it may be the old one or the new one. The octets of a complete request must be there.
 * A request is known to be complete by these rules (RFC 5040 section 5.5, RFC 5041 section 5.3, RFC
 * 7306 sections 4 and 5):
 *
 * <ul>
 *   <li>Placement has no order: if two Writes overlap and neither was complete when the other was
 *       posted, the octets of either may remain.
 *   <li>Delivery has an order: when a message has consumed a receive, every Write posted before it
 *       is complete.
 *   <li>A Read or an atomic is executed after everything that was posted before it; when it is
 *       answered, all of that is complete. Reads and atomics are executed and answered in order.
 *   <li>A Read may return octets of a Write that was posted after it without a fence, but not of
 *       one with a fence.
 *   <li>An atomic is executed once, at any time before it is answered: a Send behind it does not
 *       show that it is complete (RFC 7306 section 5.4, rule 6).
 *   <li>A Write with a fence is not sent before every atomic in front of it has been answered (RFC
 *       5040 section 5.5, rule 12): when it is complete, so are they.
 *   <li>After an STag is revoked, or its stream has ended, no octet changes through it.
 * </ul>
 */
public final class MemoryModel {
  private final Violations violations;
  private final String name;
  private final long address;
  private final int size;

  /** The octets that must be there where no request is pending. */
  private final byte[] image;

  /** The octets that will be there when every request of the peer is complete. */
  private final byte[] posted;

  private final List<ExpectedPlacement> pending = new ArrayList<>();
  private final List<ReadOctets> readers = new ArrayList<>();
  private boolean frozen;

  /**
   * A model of memory, which is filled with the given octets.
   *
   * @param name of the owner, for messages
   * @param octets at the beginning; their number is the size
   */
  public MemoryModel(Violations violations, String name, long address, byte[] octets) {
    this.violations = violations;
    this.name = name;
    this.address = address;
    size = octets.length;
    image = octets.clone();
    posted = octets.clone();
    Memory.copy(octets, 0, address, size);
  }

  /** Address of an octet. */
  public long address(int at) {
    return address + at;
  }

  /** The octets that will be there when every request of the peer is complete. */
  public byte[] posted(int from, int length) {
    return Arrays.copyOfRange(posted, from, from + length);
  }

  /** The owner writes into its memory. */
  public void write(int from, byte[] octets, int first, int length) {
    Memory.copy(octets, first, address + from, length);
    System.arraycopy(octets, first, image, from, length);
    System.arraycopy(octets, first, posted, from, length);
  }

  /** Whether no pending request reads or writes a range. */
  public boolean isIdle(int from, int end) {
    for (int i = 0; i < pending.size(); i++) {
      if (pending.get(i).overlaps(from, end)) {
        return false;
      }
    }
    for (int i = 0; i < readers.size(); i++) {
      if (readers.get(i).overlaps(from, end)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a pending Write uses an STag. */
  public boolean hasWrites(ModelStag tag) {
    return pending.stream().anyMatch(target -> target.under(tag) && !target.atomic());
  }

  /** Whether an unanswered Read or atomic uses an STag. */
  public boolean hasReads(ModelStag tag) {
    return readers.stream().anyMatch(reader -> reader.under(tag))
        || pending.stream().anyMatch(target -> target.under(tag) && target.atomic());
  }

  /**
   * Whether the octets are known that an atomic posted now will find: no two pending Writes to the
   * range compete.
   */
  public boolean isDeterminate(int from, int end) {
    int writes = 0;
    for (ExpectedPlacement target : pending) {
      if (target.overlaps(from, end) && !target.atomic()) {
        writes++;
        writes += target.rivals().isEmpty() ? 0 : 1;
      }
    }
    return writes <= 1;
  }

  /** Whether an unanswered atomic operates on a range. */
  public boolean hasAtomic(int from, int end) {
    return pending.stream().anyMatch(target -> target.atomic() && target.overlaps(from, end));
  }

  /** Expects octets to be placed from now on. */
  public void expect(ExpectedPlacement target) {
    if (!frozen) {
      pending.add(target);
    }
  }

  /**
   * The peer has posted a Write or an atomic.
   *
   * @param octets that it places
   * @param fence number of the last fenced request up to this one
   */
  public void expect(ExpectedPlacement target, byte[] octets, int first, long fence) {
    if (frozen) {
      return;
    }
    for (ExpectedPlacement other : pending) {
      if (other.overlaps(target.from(), target.end())) {
        other.addRival(target);
        if (!target.atomic() && !other.atomic()) {
          target.addRival(other);
        } else if (!target.atomic() && other.number() < fence) {
          target.addEarlier(other);
        }
      }
    }
    for (ReadOctets reader : readers) {
      boolean unordered = !target.atomic() && fence <= reader.number();
      if (unordered && reader.overlaps(target.from(), target.end())) {
        reader.addRival(target);
      }
    }
    System.arraycopy(octets, first, posted, target.from(), target.end() - target.from());
    pending.add(target);
  }

  /** The peer has posted a Read of a range. */
  public ReadOctets read(int from, int length, long number, ModelStag tag) {
    ReadOctets reader = new ReadOctets(from, posted(from, length), number, tag);
    for (ExpectedPlacement target : pending) {
      if (target.overlaps(from, from + length) && !target.rivals().isEmpty()) {
        reader.addRival(target);
        target.rivals().forEach(reader::addRival);
      }
    }
    readers.add(reader);
    return reader;
  }

  /** A Read has ended. */
  public void forget(ReadOctets reader) {
    readers.remove(reader);
  }

  /** Checks all octets. */
  public void check(String when) {
    int at = 0;
    while (at < size) {
      at += KnownOctets.agree(address + at, image, at, size - at);
      if (at < size) {
        int run = agree(pending, at, size - at);
        if (run == 0) {
          violations.add(what(at) + " has changed, " + when);
          return;
        }
        at += run;
      }
    }
  }

  private String what(int at) {
    return String.format(
        "octet %d of %s's memory (now %02x, was %02x)",
        at, name, Memory.getByte(address + at), image[at]);
  }

  private int agree(List<ExpectedPlacement> targets, int at, int most) {
    for (int i = 0; i < targets.size(); i++) {
      ExpectedPlacement target = targets.get(i);
      if (target.covers(at)) {
        int run = target.agree(address + at, at, most);
        if (run > 0) {
          return run;
        }
      }
    }
    return 0;
  }

  /**
   * The peer's Writes with a number below the given one are complete, except the flushed ones.
   *
   * @param answering false if the owner is closing: the peer's daemon may have flushed an atomic
   *     that would not be answered, and a fence does not wait for that
   */
  public void writesDone(long before, boolean answering, String how) {
    List<ExpectedPlacement> done = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      boolean write = target.remote() && !target.atomic() && !target.abandoned();
      if (write && target.number() < before) {
        done.add(target);
        if (answering) {
          // Otherwise posted octets would be computed as if the atomics came behind the Write.
          addEarlier(target, done);
        }
      }
    }
    done(done, how);
  }

  private static void addEarlier(ExpectedPlacement write, List<ExpectedPlacement> done) {
    for (ExpectedPlacement atomic : write.earlier()) {
      if (!atomic.over() && !atomic.abandoned() && !done.contains(atomic)) {
        done.add(atomic);
      }
    }
  }

  /** The peer's Writes and atomics with a number below the given one are complete. */
  public void allDone(long before, String how) {
    List<ExpectedPlacement> done = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      if (target.remote() && target.number() < before) {
        done.add(target);
      }
    }
    done(done, how);
  }

  /**
   * The peer's Writes up to a request have been placed.
   *
   * @param before number of the first request behind them
   * @param how it is known
   */
  public void writesDone(long before, String how) {
    List<ExpectedPlacement> done = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      if (target.remote() && !target.atomic() && target.number() < before) {
        done.add(target);
      }
    }
    done(done, how);
  }

  /** Octets have been placed in full. */
  public void done(List<ExpectedPlacement> done, String how) {
    if (done.isEmpty()) {
      return;
    }
    check(how);
    boolean disputed = false;
    for (ExpectedPlacement target : done) {
      disputed |= verify(target, how);
    }
    end(done);
    if (disputed) {
      done.forEach(target -> post(target.from(), target.end()));
    }
  }

  /** Compares memory with what was placed; true if octets of another request have replaced some. */
  private boolean verify(ExpectedPlacement target, String how) {
    boolean disputed = false;
    int at = target.from();
    while (at < target.end()) {
      int run = target.agree(address + at, at, target.end() - at);
      if (run == 0) {
        run = agree(target.rivals(), at, target.end() - at);
        disputed = true;
      }
      if (run == 0) {
        violations.add(what(at) + " is not what was to be placed, though " + how);
        return disputed;
      }
      at += run;
    }
    return disputed;
  }

  /** Nothing more is placed for these requests: the present octets must stay. */
  public void end(List<ExpectedPlacement> targets) {
    for (ExpectedPlacement target : targets) {
      if (!target.over()) {
        int from = target.from();
        Memory.copy(address + from, image, from, target.end() - from);
        target.finish();
      }
    }
    pending.removeIf(ExpectedPlacement::over);
  }

  /** Recomputes what a range holds when every pending request is complete. */
  private void post(int from, int end) {
    System.arraycopy(image, from, posted, from, end - from);
    for (ExpectedPlacement target : pending) {
      if (target.remote() && target.overlaps(from, end)) {
        target.write(posted, from, end);
      }
    }
  }

  /** An STag was revoked: nothing more is placed through it. */
  public void revoked(ModelStag tag) {
    check("an STag was revoked");
    List<ExpectedPlacement> gone = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      if (target.under(tag)) {
        gone.add(target);
      }
    }
    end(gone);
    post(tag.from(), tag.end());
  }

  /** The stream has ended because of a request of the peer: nothing behind it has been placed. */
  public void refused(long number) {
    pending.removeIf(target -> target.remote() && target.number() > number);
  }

  /** The stream has ended: nothing more is placed. */
  public void freeze(String why) {
    if (!frozen) {
      frozen = true;
      check(why);
      end(new ArrayList<>(pending));
      readers.clear();
      System.arraycopy(image, 0, posted, 0, size);
    }
  }
}
