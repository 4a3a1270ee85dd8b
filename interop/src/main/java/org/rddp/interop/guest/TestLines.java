package org.rddp.interop.guest;

/** Runs cases, and prints a line "ok ..." or "not ok ..." for each. For one thread. */
public final class TestLines {
  private int failed;

  /** Runs a case, which has failed if it throws. */
  public void make(GuestCase row) {
    long began = System.nanoTime();
    String complaint = "";
    try {
      row.action().run();
    } catch (Exception failure) {
      complaint = String.valueOf(failure.getMessage());
      failure.printStackTrace();
    }
    report(complaint, "%-64s %6.1f s".formatted(row.name(), (System.nanoTime() - began) / 1e9));
  }

  /**
   * Prints a line.
   *
   * @param complaint why it has failed, or empty
   */
  public void report(String complaint, String what) {
    if (complaint.isEmpty()) {
      System.out.println("ok " + what);
    } else {
      failed++;
      System.out.println("not ok " + what + ": " + complaint);
    }
  }

  /** The exit code of the process: 1 if a case has failed. */
  public int status() {
    return failed == 0 ? 0 : 1;
  }
}
