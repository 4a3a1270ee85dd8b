package org.rddp.simulation;

/** What a network does to a frame. */
public enum NetworkEvent {
  /** A card has sent it. */
  SENT("sent"),
  /** It was lost by chance. */
  LOST("lost"),
  /** It was lost because the queue in front of a wire was full. */
  OVERFLOWED("lost to a full queue"),
  /** It found no buffer, or no card, at its destination. */
  MISSED("missed by the card"),
  /** It was larger than a link's MTU and dropped. */
  TOO_LARGE("too large"),
  /** It was overtaken by others. */
  REORDERED("reordered"),
  /** It came a second time. */
  DUPLICATED("duplicated"),
  /** One bit was turned, which checksums show. */
  CORRUPTED("corrupted"),
  /** One bit of the payload was turned and TCP's checksum made right again. */
  CORRUPTED_UNSEEN("corrupted, checksum made right"),
  /** It was marked as having met congestion. */
  MARKED("marked CE"),
  /** A box in the middle made several segments of one. */
  SPLIT("split"),
  /** A box in the middle made one segment of several. */
  COALESCED("coalesced"),
  /** A box in the middle sent it in fragments. */
  FRAGMENTED("fragmented"),
  /** It has reached a card. */
  ARRIVED("arrived");

  private final String words;

  NetworkEvent(String words) {
    this.words = words;
  }

  /** The deed in words. */
  public String words() {
    return words;
  }
}
