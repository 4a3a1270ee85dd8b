package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.List;

/** A range of one end's memory in which octets are to be placed, and when that was asked for. */
public final class ExpectedPlacement {
  private final int from;
  private final int length;
  private final ExpectedOctets octets;
  private final int first;
  private final long number;
  private final ModelStag tag;
  private final boolean atomic;

  /** Others whose octets may be here when all of this one's have been placed. */
  private final List<ExpectedPlacement> rivals = new ArrayList<>(0);

  private boolean abandoned;
  private boolean over;

  private ExpectedPlacement(
      int from,
      int length,
      ExpectedOctets octets,
      int first,
      long number,
      ModelStag tag,
      boolean atomic) {
    this.from = from;
    this.length = length;
    this.octets = octets;
    this.first = first;
    this.number = number;
    this.tag = tag;
    this.atomic = atomic;
  }

  /**
   * What a write of the peer's is to place.
   *
   * @param from where in the memory, in octets from its beginning
   * @param number of the request, rising in the order in which the peer posted them
   * @param tag by which the peer names the range
   */
  public static ExpectedPlacement ofWrite(
      int from, int length, ExpectedOctets octets, long number, ModelStag tag) {
    return new ExpectedPlacement(from, length, octets, 0, number, tag, false);
  }

  /** What an atomic of the peer's is to leave there. */
  public static ExpectedPlacement ofAtomic(
      int from, ExpectedOctets octets, long number, ModelStag tag) {
    return new ExpectedPlacement(from, Long.BYTES, octets, 0, number, tag, true);
  }

  /** What is to come to memory that its owner has named: by a receive, a read or an atomic. */
  public static ExpectedPlacement own(int from, int length, ExpectedOctets octets, int first) {
    return new ExpectedPlacement(from, length, octets, first, -1, null, false);
  }

  public int from() {
    return from;
  }

  /** Behind the last octet. */
  public int end() {
    return from + length;
  }

  public long number() {
    return number;
  }

  public boolean atomic() {
    return atomic;
  }

  /** Whether the peer reaches it, and not its owner. */
  public boolean remote() {
    return tag != null;
  }

  /** Whether the peer reaches it by an STag, or by one of a window onto that STag's region. */
  public boolean under(ModelStag other) {
    return tag != null && tag.under(other);
  }

  /** Whether the range still has the name that the peer reaches it by. */
  public boolean named() {
    return tag.live();
  }

  public boolean covers(int at) {
    return at >= from && at < from + length;
  }

  public boolean overlaps(int other, int otherEnd) {
    return other < from + length && otherEnd > from;
  }

  /** How many octets of memory, the first being octet {@code at}, are this one's. */
  public int agree(long address, int at, int most) {
    return octets.agree(address, first + at - from, Math.min(most, end() - at));
  }

  /** Writes a peer's octets, where they lie in a range, into an image of the memory. */
  public void write(byte[] memory, int start, int limit) {
    KnownOctets known = (KnownOctets) octets;
    int at = Math.max(from, start);
    int count = Math.min(end(), limit) - at;
    System.arraycopy(known.array(), known.first() + first + at - from, memory, at, count);
  }

  public void addRival(ExpectedPlacement other) {
    rivals.add(other);
  }

  public List<ExpectedPlacement> rivals() {
    return rivals;
  }

  /** It will not be placed, or not in full: the peer's request was flushed. */
  public void abandon() {
    abandoned = true;
  }

  public boolean abandoned() {
    return abandoned;
  }

  /** Nothing of it is placed any more. */
  public void finish() {
    over = true;
  }

  public boolean over() {
    return over;
  }
}
