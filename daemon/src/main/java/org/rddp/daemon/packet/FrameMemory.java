package org.rddp.daemon.packet;

/**
 * Decides which frames Linux is to hold in one piece of its memory.
 *
 * <p>Otherwise it takes pieces of up to 32 KiB from a list of free ones that the sender's processor
 * has. What another processor frees, as the receiver's does on veth, comes back only behind all
 * that this one has in its list, which may be hundreds of MiB: each frame is then written to memory
 * that is in no cache. Larger pieces are in none of these lists, and the one freed last is taken
 * first.
 */
final class FrameMemory {
  /** Octets that the kernel's usual pieces hold. */
  static final int PIECE = 32 << 10;

  /** Frames in pieces after the kernel had no larger one: it may have searched for milliseconds. */
  static final int PAUSE = 1 << 16;

  private int paused;

  /** Whether a frame of so many octets, which is to be sent next, should be in one piece. */
  boolean isWhole(int octets) {
    if (octets <= PIECE) {
      return false;
    }
    if (paused > 0) {
      paused--;
      return false;
    }
    return true;
  }

  /** The kernel had no memory for a frame, or no room in the interface's queue. */
  void lacking() {
    paused = PAUSE;
  }
}
