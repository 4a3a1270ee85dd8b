package org.rddp.ip;

import java.util.ArrayList;
import java.util.List;
import org.rddp.ip.esp.EspCipher;

/**
 * Makes the associations of an interface, each with ciphers for those who use it.
 *
 * @param usedKeys of all interfaces
 * @param stacks of the interface
 */
record AssociationFactory(EspCipher.Factory ciphers, UsedKeys usedKeys, int stacks) {
  /**
   * Makes one that we receive on; its first stack that gets a packet uses it.
   *
   * @param received the largest number that was received with these keys; 0 for none
   */
  InboundAssociation inbound(
      AssociationSettings settings, AssociationKeys keys, long received, long since) {
    EspCipher cipher = keys.cipher(ciphers, settings);
    return new InboundAssociation(
        settings, keys, cipher, keys.fingerprint(usedKeys), received, since);
  }

  /** Makes one that we send on: a part for each stack, which share their keys and numbers. */
  List<OutboundAssociation> outbound(
      AssociationSettings settings,
      AssociationKeys keys,
      SentNumbers numbers,
      int order,
      long since) {
    long fingerprint = keys.fingerprint(usedKeys);
    List<OutboundAssociation> parts = new ArrayList<>();
    try {
      for (int i = 0; i < stacks; i++) {
        EspCipher cipher = keys.cipher(ciphers, settings);
        parts.add(
            new OutboundAssociation(settings, keys, cipher, fingerprint, numbers, order, since));
      }
    } catch (RuntimeException e) {
      parts.forEach(Association::discard);
      throw e;
    }
    return parts;
  }
}
