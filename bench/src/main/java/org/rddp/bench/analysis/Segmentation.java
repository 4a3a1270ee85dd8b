package org.rddp.bench.analysis;

/** How a sender puts FPDUs into segments. */
enum Segmentation {
  /** One whole FPDU in each. */
  ALIGNED,
  /** As many whole FPDUs in each as fit. */
  PACKED,
  /** As a stock TCP does: full segments, whatever is in them. */
  STOCK
}
