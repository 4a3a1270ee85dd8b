package org.rddp.snapshot;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Memories that do not overlap, to which a snapshot refers by their number in a list. An address is
 * written as the number of its memory and the offset in it, so the reader may have the same memory
 * at another address.
 */
public final class Memories {
  private static final int NONE = -1;

  /**
   * A memory.
   *
   * @param address of its first octet
   * @param octets greater than 0
   */
  public record Range(long address, long octets) {}

  private final List<Range> memories;

  /** The numbers, by the addresses at which the memories begin. */
  private final TreeMap<Long, Integer> numbers = new TreeMap<>();

  /** Creates references to the memories of a list, which the reader has in the same order. */
  public Memories(List<Range> memories) {
    this.memories = List.copyOf(memories);
    for (int i = 0; i < memories.size(); i++) {
      numbers.put(memories.get(i).address(), i);
    }
  }

  /**
   * Transfers the address of a range, all of which lies in one memory; 0 is none.
   *
   * @param octets of the range, 0 or more
   */
  public long transfer(Snapshot snapshot, String name, long address, long octets) {
    if (snapshot.reads()) {
      return read(snapshot, name, octets);
    }
    Map.Entry<Long, Integer> memory = address == 0 ? null : numbers.floorEntry(address);
    if (address != 0 && (memory == null || !has(memory.getValue(), address, octets))) {
      throw snapshot.wrong(name + " is in none of the memories");
    }
    snapshot.number(name, memory == null ? NONE : memory.getValue());
    if (memory != null) {
      snapshot.number("offset", address - memory.getKey());
    }
    return address;
  }

  private long read(Snapshot snapshot, String name, long octets) {
    int number = snapshot.number(name, 0, NONE, memories.size() - 1);
    if (number == NONE) {
      return 0;
    }
    Range memory = memories.get(number);
    long offset = snapshot.number("offset", 0, 0, memory.octets());
    if (octets < 0 || octets > memory.octets() - offset) {
      throw snapshot.wrong(octets + " octets of " + name + " exceed memory " + number);
    }
    return memory.address() + offset;
  }

  private boolean has(int number, long address, long octets) {
    Range memory = memories.get(number);
    return octets <= memory.octets() - (address - memory.address());
  }
}
