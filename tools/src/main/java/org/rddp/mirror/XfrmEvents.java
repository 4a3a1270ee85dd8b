package org.rddp.mirror;

/** Gets what the kernel says of its security associations. */
public interface XfrmEvents {
  /** There is an association, new, changed or asked for. Its keys are overwritten afterwards. */
  void onAssociation(KernelAssociation association);

  /** An association is gone. */
  void onDeleted(KernelAssociation.Name name);

  /** The lifetime of an association is over. */
  void onExpired(KernelAssociation.Name name);

  /** All associations are gone. */
  void onFlushed();

  /** All that were asked for have been told. */
  void onDumped();

  /** The kernel refuses what it was asked for. */
  void onRefused(int errno);
}
