package org.rddp.simulation;

/** An effect of a network on a frame. */
public enum NetworkEvent {
  /** A card has sent it. */
  SENT("sent"),
  /** It was lost at random. */
  LOST("lost"),
  /** It was lost because the queue in front of a wire was full. */
  OVERFLOWED("lost to a full queue"),
  /** It found no buffer, or no card, at its destination. */
  MISSED("missed by the card"),
  /** A message of Neighbour Discovery was lost; these have a loss rate of their own. */
  NEIGHBOUR_LOST("neighbour message lost"),
  /** A station that is not one of the link's hosts has sent it. */
  FORGED("forged"),
  /** It was larger than a link's MTU and dropped. */
  TOO_LARGE("too large"),
  /** It was delayed so that others overtake it. */
  REORDERED("reordered"),
  /** It was sent a second time. */
  DUPLICATED("duplicated"),
  /** One bit was flipped, which checksums detect. */
  CORRUPTED("corrupted"),
  /** One bit of the payload was flipped and TCP's checksum corrected. */
  CORRUPTED_UNSEEN("corrupted, checksum made right"),
  /** It was marked as having met congestion. */
  MARKED("marked CE"),
  /** A middlebox made several segments of it. */
  SPLIT("split"),
  /** A middlebox made it of several segments. */
  COALESCED("coalesced"),
  /** A middlebox sent it in fragments. */
  FRAGMENTED("fragmented"),
  /** It has reached a card. */
  ARRIVED("arrived");

  private final String words;

  NetworkEvent(String words) {
    this.words = words;
  }

  /** The event in words. */
  public String words() {
    return words;
  }
}
