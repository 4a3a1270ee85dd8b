package org.rddp.rig;

import java.security.SecureRandom;
import java.util.List;
import org.rddp.client.Rddp;
import org.rddp.client.types.SecurityAssociation;

/** Security associations between two interfaces. */
public final class Associations {
  private static final int SPI = 0x1000;

  /** Octets of AES-128's key and of GCM's salt. */
  private static final int GCM_KEYS = 20;

  private Associations() {}

  /**
   * Gives both interfaces an association for each direction, with AES-GCM of 128 bits and fresh
   * keys.
   *
   * @param near a session on the interface that has {@code nearAddress}
   * @param far a session on the interface that has {@code farAddress}
   */
  public static void add(Rddp near, String nearAddress, Rddp far, String farAddress) {
    SecureRandom random = new SecureRandom();
    List<String> addresses = List.of(nearAddress, farAddress);
    for (int from = 0; from < addresses.size(); from++) {
      byte[] keys = new byte[GCM_KEYS];
      random.nextBytes(keys);
      SecurityAssociation association =
          new SecurityAssociation(
              SPI + from,
              addresses.get(from),
              addresses.get(1 - from),
              false,
              "aes128gcm16",
              true,
              0,
              "",
              false,
              0,
              0,
              0,
              0,
              0,
              0);
      near.securityAssociations().add(association, 0, keys.clone());
      far.securityAssociations().add(association, 0, keys);
    }
  }
}
