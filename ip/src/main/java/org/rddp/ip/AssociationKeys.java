package org.rddp.ip;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.rddp.ip.esp.EspCipher;
import org.rddp.snapshot.Snapshot;

/**
 * The keys of an association, for a snapshot: ciphers do not give theirs back. They lie outside of
 * the heap, where no garbage collector leaves copies of them. For whoever holds the lock of the
 * {@link AssociationDatabase}.
 */
final class AssociationKeys {
  final MemorySegment octets;

  /** Keys that are all zero until they are {@linkplain #transfer read}. */
  AssociationKeys(int length) {
    octets = Arena.ofAuto().allocate(length);
  }

  /** Copies keys; the caller overwrites its own. */
  AssociationKeys(byte[] keys) {
    this(keys.length);
    MemorySegment.copy(keys, 0, octets, JAVA_BYTE, 0, keys.length);
  }

  /** What tells them from others. */
  long fingerprint(UsedKeys used) {
    byte[] copy = octets.toArray(JAVA_BYTE);
    try {
      return used.fingerprint(copy);
    } finally {
      Arrays.fill(copy, (byte) 0);
    }
  }

  /** Makes a cipher with them. */
  EspCipher cipher(EspCipher.Factory ciphers, AssociationSettings settings) {
    byte[] copy = octets.toArray(JAVA_BYTE);
    try {
      return ciphers.cipher(settings.suite(), settings.esn(), copy);
    } finally {
      Arrays.fill(copy, (byte) 0);
    }
  }

  /** Overwrites them. */
  void wipe() {
    octets.fill((byte) 0);
  }

  /** Transfers them. */
  void transfer(Snapshot snapshot) {
    snapshot.octets("octets", octets.address(), (int) octets.byteSize());
  }
}
