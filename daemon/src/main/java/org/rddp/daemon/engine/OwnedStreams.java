package org.rddp.daemon.engine;

import java.util.List;

/**
 * What the owner of an engine's octet streams has of them, when they go on in another engine.
 *
 * @param listeners those of all programs and those that have closed while streams wait for them;
 *     for the reader, they have read their state
 * @param parts in the order of {@link EngineStreams#parts}; for the reader, the memory is perhaps
 *     at other addresses
 */
public record OwnedStreams(List<StreamListener> listeners, List<StreamParts> parts) {
  /** For an engine without octet streams. */
  public static final OwnedStreams NONE = new OwnedStreams(List.of(), List.of());
}
