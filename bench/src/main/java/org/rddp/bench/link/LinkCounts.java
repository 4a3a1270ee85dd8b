package org.rddp.bench.link;

/**
 * What a link has done since its settings were changed, both directions together.
 *
 * @param frames that arrived at the link with TCP in them
 * @param lost of these, by chance
 * @param dropped frames of any kind that found the queue full
 */
public record LinkCounts(long frames, long lost, long dropped) {
  LinkCounts plus(LinkCounts other) {
    return new LinkCounts(frames + other.frames, lost + other.lost, dropped + other.dropped);
  }
}
