package org.rddp.client;

/** Catches the exception that a piece of code throws. */
final class Thrown {
  private Thrown() {}

  static Throwable by(Runnable code) {
    try {
      code.run();
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }
}
