package org.rddp.bench.link;

/**
 * What a link has done since its settings were changed, both directions together.
 *
 * @param frames that arrived at the link with TCP in them
 * @param lost of these, by chance
 * @param dropped frames of any kind that found the queue full
 * @param marked frames marked as having met congestion
 * @param queue octets that a frame found waiting on average, in the direction with more
 * @param longest the most octets that waited
 */
public record LinkCounts(
    long frames, long lost, long dropped, long marked, double queue, long longest) {
  LinkCounts plus(LinkCounts other) {
    return new LinkCounts(
        frames + other.frames,
        lost + other.lost,
        dropped + other.dropped,
        marked + other.marked,
        Math.max(queue, other.queue),
        Math.max(longest, other.longest));
  }
}
