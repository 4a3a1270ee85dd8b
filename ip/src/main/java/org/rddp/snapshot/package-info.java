/** Snapshots of an engine's state, with which another engine goes on: docs/handover.md. */
package org.rddp.snapshot;
