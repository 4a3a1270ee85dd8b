package org.rddp.analysis;

/** How a sender puts FPDUs into segments. */
enum Segmentation {
  /** One whole FPDU in each segment. */
  ALIGNED,
  /** As many whole FPDUs in each segment as fit. */
  PACKED,
  /** Full segments, cut regardless of FPDUs, as {@link StockTcp} does. */
  STOCK
}
