package org.rddp.ddp.memory;

import java.util.List;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * What the state of an engine's streams refers to, by numbers in lists of its owner: the memories
 * of its programs, their protection domains and the streams. The reader has each list in the same
 * order. {@link TaggedBuffers#transfer} adds the windows and the buffers of STags.
 */
public final class DdpReferences {
  /** Stands for each stream that has ended and may still be named as the only one of a buffer. */
  private static final DomainMember NOBODY = new DomainMember(null) {};

  private final Memories memories;
  private final References<ProtectionDomain> domains;
  private final References<DomainMember> streams;
  private List<DdpMemoryWindow> windows;
  private References<DdpMemoryWindow> numberedWindows;
  private References<TaggedBuffer> buffers;

  /**
   * Creates references.
   *
   * @param streams those that go on; when read, new ones without state
   * @param windows those that are written; when read, none, since they are made
   */
  public DdpReferences(
      Memories memories,
      List<ProtectionDomain> domains,
      List<? extends DomainMember> streams,
      List<DdpMemoryWindow> windows) {
    this.memories = memories;
    this.domains = new References<>(domains);
    this.streams = new References<>(streams);
    this.windows = windows;
  }

  /** The memories. */
  public Memories memories() {
    return memories;
  }

  /** The windows; when read, once the STags have been. */
  public List<DdpMemoryWindow> windows() {
    return windows;
  }

  void windows(List<DdpMemoryWindow> all) {
    windows = all;
    numberedWindows = new References<>(all);
  }

  void buffers(List<TaggedBuffer> all) {
    buffers = new References<>(all);
  }

  /** Transfers a reference to a domain; null is none. */
  public ProtectionDomain domain(Snapshot snapshot, String name, ProtectionDomain domain) {
    return domains.transfer(snapshot, name, domain);
  }

  /** Transfers a reference to a stream, which may have ended; null is none. */
  public DomainMember stream(Snapshot snapshot, String name, DomainMember stream) {
    return streams.transfer(snapshot, name, stream, NOBODY);
  }

  /** Transfers a reference to a window; null is none. */
  public DdpMemoryWindow window(Snapshot snapshot, String name, DdpMemoryWindow window) {
    return numberedWindows.transfer(snapshot, name, window);
  }

  /** Transfers a reference to a buffer that a window has. */
  TaggedBuffer bufferOfWindow(Snapshot snapshot, String name, TaggedBuffer buffer) {
    return buffers.require(snapshot, name, buffer);
  }

  /**
   * Transfers a reference to the buffer of an STag or of a window; null is none. For a buffer that
   * is neither any more the reader gets one that nobody may use.
   */
  public TaggedBuffer buffer(Snapshot snapshot, String name, TaggedBuffer buffer) {
    return buffers.transfer(snapshot, name, buffer, TaggedBuffer.ended());
  }
}
