package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.List;

/** A range of one end's memory in which octets are to be placed. */
public final class ExpectedPlacement {
  private final int from;
  private final int length;
  private final ExpectedOctets octets;
  private final int first;
  private final long number;
  private final ModelStag tag;
  private final boolean atomic;

  /** Others whose octets may have replaced those of this one. */
  private final List<ExpectedPlacement> rivals = new ArrayList<>(0);

  /** Atomics that must have been executed before this Write was sent. */
  private final List<ExpectedPlacement> earlier = new ArrayList<>(0);

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
   * The range of a Write of the peer.
   *
   * @param from offset in the memory, in octets
   * @param number of the request, ascending in the order of the posts
   * @param tag STag that the peer uses
   */
  public static ExpectedPlacement ofWrite(
      int from, int length, ExpectedOctets octets, long number, ModelStag tag) {
    return new ExpectedPlacement(from, length, octets, 0, number, tag, false);
  }

  /** The range of an atomic of the peer. */
  public static ExpectedPlacement ofAtomic(
      int from, ExpectedOctets octets, long number, ModelStag tag) {
    return new ExpectedPlacement(from, Long.BYTES, octets, 0, number, tag, true);
  }

  /** A range that its owner has named: the memory of a receive, or of the answer to a request. */
  public static ExpectedPlacement own(int from, int length, ExpectedOctets octets, int first) {
    return new ExpectedPlacement(from, length, octets, first, -1, null, false);
  }

  public int from() {
    return from;
  }

  /** Offset behind the last octet. */
  public int end() {
    return from + length;
  }

  public long number() {
    return number;
  }

  public boolean atomic() {
    return atomic;
  }

  /** Whether the peer has named the range, not its owner. */
  public boolean remote() {
    return tag != null;
  }

  /** Whether the peer uses that STag, or a window bound to its region. */
  public boolean under(ModelStag other) {
    return tag != null && tag.under(other);
  }

  /** Whether the STag that the peer uses is still valid. */
  public boolean named() {
    return tag.live();
  }

  public boolean covers(int at) {
    return at >= from && at < from + length;
  }

  public boolean overlaps(int other, int otherEnd) {
    return other < from + length && otherEnd > from;
  }

  /** How many octets of memory from offset {@code at} on are the expected ones. */
  public int agree(long address, int at, int most) {
    return octets.agree(address, first + at - from, Math.min(most, end() - at));
  }

  /** Copies the expected octets that lie in a range into an image of the memory. */
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

  public void addEarlier(ExpectedPlacement atomic) {
    earlier.add(atomic);
  }

  /** Atomics on the same octets that a fence keeps in front of this Write. */
  public List<ExpectedPlacement> earlier() {
    return earlier;
  }

  /** The peer's request was flushed: not all octets will be placed. */
  public void abandon() {
    abandoned = true;
  }

  public boolean abandoned() {
    return abandoned;
  }

  /** No octet will be placed from now on. */
  public void finish() {
    over = true;
  }

  public boolean over() {
    return over;
  }
}
