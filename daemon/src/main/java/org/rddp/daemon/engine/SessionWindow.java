package org.rddp.daemon.engine;

import org.rddp.ddp.memory.DdpMemoryWindow;

/** A memory window of a program, as work requests name it. Engine thread only. */
public final class SessionWindow {
  private final int number;
  private final DdpMemoryWindow window;
  private int uses;

  SessionWindow(int number, DdpMemoryWindow window) {
    this.number = number;
    this.window = window;
  }

  /** Its number in the session. */
  public int number() {
    return number;
  }

  /** Its STag after the next bind. */
  public int nextStag() {
    return window.nextStag();
  }

  DdpMemoryWindow window() {
    return window;
  }

  /** Binds in work. The window stays until they have ended. */
  int uses() {
    return uses;
  }

  void use() {
    uses++;
  }

  void release() {
    uses--;
  }
}
