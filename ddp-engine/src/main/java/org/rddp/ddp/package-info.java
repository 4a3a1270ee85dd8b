/**
 * Direct Data Placement (RFC 5041): segmentation, Tagged and Untagged Buffers, Placement and
 * Delivery. Everything runs on the engine's thread.
 */
package org.rddp.ddp;
