package org.rddp.group;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which of our IPv6 addresses may be used (RFC 4862 section 5.4): shared by the stacks of an
 * interface, of which the first one checks the addresses for all. Until it begins, all may be used.
 * {@link #use} and {@link #suspend} are for the first stack; the rest is for any thread.
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

  /** An address may be used from now on. */
  public void use(int index) {
    ELEMENT.setVolatile(bits, 0, bits() | 1 << index);
  }

  /** No address may be used until it has been checked. */
  public void suspend() {
    ELEMENT.setVolatile(bits, 0, 0);
  }

  /** No address may be used until it has been checked, if none ever was. */
  public void suspendUnchecked() {
    boolean ignored = ELEMENT.compareAndSet(bits, 0, UNCHECKED, 0);
  }
}
