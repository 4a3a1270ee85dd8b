package org.rddp.ipc;

/** What a work request asks for, and what a completion reports; numbers from 1 to 255. */
public final class Opcode {
  /** Gives memory to the next Send that arrives. */
  public static final int RECEIVE = 1;

  /** Sends a message to the peer's next receive. */
  public static final int SEND = 2;

  /** Writes into memory that the peer named by STag and TO. */
  public static final int WRITE = 3;

  /** Reads memory that the peer named by STag and TO. */
  public static final int READ = 4;

  private Opcode() {}

  /** Whether somebody here knows the number. */
  static boolean isKnown(int opcode) {
    return opcode >= RECEIVE && opcode <= READ;
  }

  /** Its name, for people. */
  public static String name(int opcode) {
    return switch (opcode) {
      case RECEIVE -> "receive";
      case SEND -> "send";
      case WRITE -> "write";
      case READ -> "read";
      default -> "opcode " + opcode;
    };
  }
}
