package org.rddp.bench.layers;

/** The process whose compilations are checked: engines that exchange requests of all kinds. */
public final class WarmedEngines {
  private static final int ROUNDS = 2_000;

  /** Segments that vectors sum, and few enough of them. */
  private static final int LONG_ROUNDS = 200;

  private WarmedEngines() {}

  /**
   * Works until HotSpot must have compiled everything, given that it compiles at once ({@code
   * -Xbatch}).
   */
  public static void main(String[] arguments) {
    EnginePair engines = EnginePair.overLink(64, 1500, true);
    for (int i = 0; i < ROUNDS; i++) {
      for (RequestKind kind : RequestKind.values()) {
        engines.exchange(kind, 4);
      }
      engines.exchange(RequestKind.WRITE, 32);
    }
    EnginePair longer = EnginePair.overLink(8192, 1500, true);
    for (int i = 0; i < LONG_ROUNDS; i++) {
      longer.exchange(RequestKind.WRITE, 4);
    }
  }
}
