package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.snapshot.Snapshot;

/** A posted bind or invalidation. Reused. */
final class LocalOperation {
  /** Octets of an object on the heap. */
  static final int OCTETS = 56;

  private DdpMemoryWindow window;
  private TaggedBuffer region;
  private long to;
  private long length;
  private long baseTo;
  private int rights;
  private int key;
  private int stag;

  void invalidate(int stag) {
    this.stag = stag;
  }

  void bind(StreamRequest request) {
    window = request.window();
    region = request.region();
    to = request.localTo();
    length = request.length();
    baseTo = request.baseTo();
    rights = request.rights();
    key = request.key();
  }

  /** Carries out the operation for a stream; returns its {@link RdmapCompletionStatus}. */
  int run(TaggedBuffers taggedBuffers, DdpStream stream) {
    if (window != null) {
      boolean bound = window.bind(region, stream, to, length, baseTo, rights, key);
      forget();
      return bound ? RdmapCompletionStatus.SUCCESS : RdmapCompletionStatus.MW_BIND_ERROR;
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

  /** Transfers an operation. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(LocalOperation.class);
    window = references.window(snapshot, "window", window);
    region = references.buffer(snapshot, "region", region);
    to = snapshot.number("to", to);
    length = snapshot.number("length", length);
    baseTo = snapshot.number("baseTo", baseTo);
    rights = snapshot.number("rights", rights);
    key = snapshot.number("key", key);
    stag = snapshot.number("stag", stag);
    snapshot.end();
  }
}
