package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rddp.simulation.Violations;
import org.rddp.wire.Memory;

/**
 * The memory of one end of a connection, and what has to be in it: every octet of regions, receive
 * buffers, what lies between them and what was a region once.
 *
 * <p>An octet is what it was, unless something that has been asked for and is not known to be done
 * may be placed there: then it is either. What is known to be done has to be there in full. These
 * rules say what is known (RFC 5040 section 5.5, RFC 5041 section 5.3, RFC 7306 sections 4 and 5):
 *
 * <ul>
 *   <li>Placement has no order: of two Writes that overlap, and of which none is known to be done
 *       when the other is posted, either may be what remains.
 *   <li>Delivery has: when a message has used up a receive, every Write posted before it is there.
 *   <li>A Read or an atomic is looked at behind everything that was posted before it, and so shows
 *       it; its answer says that all of that is there. Both are answered, and done, in order.
 *   <li>A Write that was posted behind a Read without a fence may show in what it brings, one
 *       behind a fence may not.
 *   <li>An atomic is done once. What is in doubt is when, until its answer has come: a Send behind
 *       it says nothing about it.
 *   <li>Once a name is revoked, or a stream has ended, not one octet changes by it.
 * </ul>
 */
public final class MemoryModel {
  private final Violations verdict;
  private final String name;
  private final long address;
  private final int size;

  /** What has to be there where nothing is under way. */
  private final byte[] image;

  /** What will be there when everything that the peer has posted is done. */
  private final byte[] posted;

  private final List<ExpectedPlacement> pending = new ArrayList<>();
  private final List<ReadOctets> readers = new ArrayList<>();
  private boolean frozen;

  /**
   * The model of some memory, which it fills.
   *
   * @param name whose it is, for messages
   * @param octets what it holds at first, so many of them
   */
  public MemoryModel(Violations verdict, String name, long address, byte[] octets) {
    this.verdict = verdict;
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

  /** Octets that will be there behind everything that the peer has posted. */
  public byte[] posted(int from, int length) {
    return Arrays.copyOfRange(posted, from, from + length);
  }

  /** Its owner writes. */
  public void write(int from, byte[] octets, int first, int length) {
    Memory.copy(octets, first, address + from, length);
    System.arraycopy(octets, first, image, from, length);
    System.arraycopy(octets, first, posted, from, length);
  }

  /** Whether nothing is under way to a range, or reads there. */
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

  /** Whether anything that was posted and is not known to be done writes by an STag. */
  public boolean hasWrites(ModelStag tag) {
    return pending.stream().anyMatch(target -> target.under(tag) && !target.atomic());
  }

  /** Whether a read or an atomic that has no answer uses an STag. */
  public boolean hasReads(ModelStag tag) {
    return readers.stream().anyMatch(reader -> reader.under(tag))
        || pending.stream().anyMatch(target -> target.under(tag) && target.atomic());
  }

  /**
   * Whether an atomic that is posted now is looked at in a state that is known: of the Writes that
   * are under way to those octets, none competes with another.
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

  /** Whether an atomic without an answer works on a range. */
  public boolean hasAtomic(int from, int end) {
    return pending.stream().anyMatch(target -> target.atomic() && target.overlaps(from, end));
  }

  /** Octets may be placed from now on. */
  public void expect(ExpectedPlacement target) {
    if (!frozen) {
      pending.add(target);
    }
  }

  /**
   * The peer has posted a write or an atomic.
   *
   * @param octets what it leaves, from the first octet on
   * @param fence number of the last fenced request, that one included
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

  /** The peer has posted a read of a range. */
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

  /** A read has ended. */
  public void forget(ReadOctets reader) {
    readers.remove(reader);
  }

  /** Everything that was placed is where and what it has to be. */
  public void check(String when) {
    int at = 0;
    while (at < size) {
      at += KnownOctets.agree(address + at, image, at, size - at);
      if (at < size) {
        int run = agree(pending, at, size - at);
        if (run == 0) {
          verdict.add(what(at) + " has changed, " + when);
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
   * The peer's writes before a request, or that one too, are known to be done, but for those that
   * were flushed.
   */
  public void writesDone(long before, String how) {
    List<ExpectedPlacement> done = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      boolean write = target.remote() && !target.atomic() && !target.abandoned();
      if (write && target.number() < before) {
        done.add(target);
      }
    }
    done(done, how);
  }

  /** The peer's writes and atomics before a request are known to be done. */
  public void allDone(long before, String how) {
    List<ExpectedPlacement> done = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      if (target.remote() && target.number() < before) {
        done.add(target);
      }
    }
    done(done, how);
  }

  /** The peer sends nothing more: what it has not given up has been placed, the rest stays so. */
  public void peerClosed() {
    List<ExpectedPlacement> done = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      if (target.remote() && !target.atomic() && !target.abandoned()) {
        done.add(target);
      }
    }
    done(done, "the peer has closed");
    List<ExpectedPlacement> rest = new ArrayList<>();
    for (ExpectedPlacement target : pending) {
      // An atomic that has come is done when its answer's turn has, also for a peer that has
      // closed.
      if (target.abandoned() && !target.atomic()) {
        rest.add(target);
      }
    }
    end(rest);
  }

  /** Octets are known to have been placed in full. */
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

  /** Holds memory to what was placed; true if some of it has been replaced by something else. */
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
        verdict.add(what(at) + " is not what was to be placed, though " + how);
        return disputed;
      }
      at += run;
    }
    return disputed;
  }

  /** Nothing more of these is placed: what is there now stays. */
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

  /** Works out anew what will be in a range when all that is under way is done. */
  private void post(int from, int end) {
    System.arraycopy(image, from, posted, from, end - from);
    for (ExpectedPlacement target : pending) {
      if (target.remote() && target.overlaps(from, end)) {
        target.write(posted, from, end);
      }
    }
  }

  /** A name of a range is gone: by it nothing is placed any more. */
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

  /** The stream has ended over a request of the peer's: nothing behind that has been placed. */
  public void refused(long number) {
    pending.removeIf(target -> target.remote() && target.number() > number);
  }

  /** The stream is over: nothing is placed any more. */
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
