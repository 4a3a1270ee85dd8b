package org.rddp.client.types;

/**
 * The kinds of work requests and completions: numbers from 1 to 255. {@link RequestForm} says what
 * each of them is.
 */
public final class Opcode {
  /** Gives memory to the next Send that arrives. */
  public static final int RECEIVE = 1;

  /** Sends a message to the peer's next receive. */
  public static final int SEND = 2;

  /** Writes into memory that the peer named by STag and TO. */
  public static final int WRITE = 3;

  /** Reads memory that the peer named by STag and TO. */
  public static final int READ = 4;

  /**
   * Writes as {@link #WRITE} does, and then uses up the peer's next receive with immediate data.
   */
  public static final int WRITE_IMMEDIATE = 5;

  /** Uses up the peer's next receive with immediate data. */
  public static final int IMMEDIATE = 6;

  /** Adds to eight octets of memory that the peer named, and returns what was there. */
  public static final int FETCH_ADD = 7;

  /** Replaces eight octets, or some of their bits, and returns what was there. */
  public static final int SWAP = 8;

  /** Replaces as {@link #SWAP} does if what is there is as expected. */
  public static final int COMPARE_SWAP = 9;

  /** Invalidates an STag of this end. */
  public static final int INVALIDATE = 10;

  /** Opens a part of a region to the peer under a window's next STag. */
  public static final int BIND = 11;

  /**
   * Sends a message with immediate data to the peer's next receive, if both ends want such Sends.
   */
  public static final int SEND_WITH_IMMEDIATE = 12;

  /** Plain DDP: sends a message to the next receive of one of the peer's queues. */
  public static final int SEND_UNTAGGED = 16;

  /** Plain DDP: sends a message into memory that the peer named by STag and TO. */
  public static final int SEND_TAGGED = 17;

  /** Plain DDP: gives memory to the next message of a queue. */
  public static final int RECEIVE_UNTAGGED = 18;

  /** Plain DDP: completes when the peer's next Tagged Message is Delivered. */
  public static final int TAGGED_NOTICE = 19;

  private Opcode() {}

  /** Its name, for people. */
  public static String name(int opcode) {
    RequestForm form = RequestForm.of(opcode);
    return form == null ? "opcode " + opcode : form.name();
  }
}
