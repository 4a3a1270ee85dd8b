package org.rddp.fuzz;

import java.util.List;

/** The expected octets of the fuzzed memory, and the access checks (RFC 5041 section 7.1). */
final class ModelMemory {
  final byte[] octets;
  private final List<ModelRegion> names;

  ModelMemory(byte[] octets, List<ModelRegion> names) {
    this.octets = octets;
    this.names = names;
  }

  /** The memory that an STag names now, or null. */
  ModelRegion named(int stag) {
    return names.stream().filter(each -> each.valid && each.stag == stag).findFirst().orElse(null);
  }

  /** The error of an access: no STag, another stream's, rights, wrap, range; or null. */
  String access(int stag, long to, long octets, int right, String errors) {
    String[] each = errors.split(" ", -1);
    ModelRegion found = named(stag);
    if (found == null) {
      return each[0];
    }
    if (!found.ours) {
      return each[1];
    }
    if (!found.permits(right)) {
      return each[2];
    }
    if (Long.compareUnsigned(to + octets, to) <= 0) {
      return each[3];
    }
    return found.holds(to, octets) ? null : each[4];
  }

  /** Puts the payload of a segment to a Tagged Offset of what is named. */
  void place(byte[] segment, int from, ModelRegion sink, long to) {
    System.arraycopy(segment, from, octets, sink.at(to), segment.length - from);
  }

  /** Whether an octet lies where a segment may have been placed before its turn, by an STag. */
  boolean mayHaveBeenPlaced(int at) {
    return names.stream()
        .anyMatch(each ->
            each.ours
                && (each.permits(ModelRegion.REMOTE_WRITE) || each.permits(ModelRegion.LOCAL_WRITE))
                && at >= each.offset
                && at < each.offset + each.length);
  }
}
