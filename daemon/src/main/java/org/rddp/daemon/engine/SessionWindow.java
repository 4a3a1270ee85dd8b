package org.rddp.daemon.engine;

import org.rddp.client.types.WindowKind;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.snapshot.Snapshot;

/** A memory window of a program, as work requests name it. Engine thread only. */
public final class SessionWindow {
  private final int number;
  private final WindowKind kind;
  private final DdpMemoryWindow window;
  private int uses;

  SessionWindow(int number, WindowKind kind, DdpMemoryWindow window) {
    this.number = number;
    this.kind = kind;
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

  /** Whether a bind of no octets closes the part that the last bind has opened. */
  boolean mayOpenNothing() {
    return kind == WindowKind.TYPE_1;
  }

  DdpMemoryWindow window() {
    return window;
  }

  /** Outstanding binds. The window stays until they have ended. */
  int uses() {
    return uses;
  }

  void use() {
    uses++;
  }

  void release() {
    uses--;
  }

  /**
   * Transfers a window, but not who uses it.
   *
   * @param written the window; null if it is read
   */
  static SessionWindow transfer(
      Snapshot snapshot, DdpReferences references, int number, SessionWindow written) {
    boolean reads = written == null;
    snapshot.begin(SessionWindow.class);
    WindowKind kind = snapshot.constant("kind", WindowKind.class, reads ? null : written.kind);
    DdpMemoryWindow window = references.window(snapshot, "window", reads ? null : written.window);
    snapshot.end();
    if (window == null) {
      throw snapshot.wrong("a window is none of DDP's");
    }
    return reads ? new SessionWindow(number, kind, window) : written;
  }
}
