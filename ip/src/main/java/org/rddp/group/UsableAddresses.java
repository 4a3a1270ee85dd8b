package org.rddp.group;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.rddp.snapshot.Snapshot;

/**
 * Which of our IPv6 addresses may be used (RFC 4862 section 5.4). The stacks of an interface share
 * it; the first stack checks the addresses for all. Until it begins, all may be used. Only the
 * first stack calls {@link #use} and {@link #suspend}; any thread may call the rest.
 */
public final class UsableAddresses {
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

  /** No stack has begun to check. */
  private static final int UNCHECKED = -1;

  /** A bit for each address. */
  private final int[] bits = {UNCHECKED};

  UsableAddresses() {}

  private int bits() {
    return (int) ELEMENT.getVolatile(bits, 0);
  }

  /** Whether an address may be used. */
  public boolean contains(int index) {
    return (bits() >>> index & 1) != 0;
  }

  /** Permits the use of an address. */
  public void use(int index) {
    ELEMENT.setVolatile(bits, 0, bits() | 1 << index);
  }

  /** Forbids the use of all addresses until they have been checked. */
  public void suspend() {
    ELEMENT.setVolatile(bits, 0, 0);
  }

  /** Like {@link #suspend}, but does nothing if addresses have been checked before. */
  public void suspendUnchecked() {
    boolean ignored = ELEMENT.compareAndSet(bits, 0, UNCHECKED, 0);
  }

  /** Transfers which addresses may be used; only the first stack of the interface does. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(UsableAddresses.class);
    int taken = snapshot.number("bits", bits());
    if (snapshot.reads()) {
      ELEMENT.setVolatile(bits, 0, taken);
    }
    snapshot.end();
  }
}
