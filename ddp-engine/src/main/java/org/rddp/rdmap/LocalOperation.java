package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/** A queued bind or invalidation. Reused. */
final class LocalOperation {
  private DdpMemoryWindow window;
  private TaggedBuffer region;
  private long to;
  private long length;
  private long baseTo;
  private int rights;
  private int stag;

  void invalidate(int stag) {
    this.stag = stag;
  }

  void bind(
      DdpMemoryWindow window, TaggedBuffer region, long to, long length, long baseTo, int rights) {
    this.window = window;
    this.region = region;
    this.to = to;
    this.length = length;
    this.baseTo = baseTo;
    this.rights = rights;
  }

  /** Executes it for a stream; returns a constant of {@link RdmapCompletionStatus}. */
  int run(TaggedBuffers taggedBuffers, DdpStream stream) {
    if (window != null) {
      boolean bound = window.bind(region, stream, to, length, baseTo, rights);
      forget();
      return bound ? RdmapCompletionStatus.SUCCESS : RdmapCompletionStatus.BIND_ERROR;
    }
    TaggedBuffer buffer = taggedBuffers.lookup(stag);
    if (buffer == null || !buffer.associatedWith(stream)) {
      return RdmapCompletionStatus.LOCAL_PROTECTION_ERROR;
    }
    taggedBuffers.invalidate(buffer);
    return RdmapCompletionStatus.SUCCESS;
  }

  /** Drops its references. */
  void forget() {
    window = null;
    region = null;
  }
}
