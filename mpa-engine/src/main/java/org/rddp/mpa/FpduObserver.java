package org.rddp.mpa;

/** Observes the FPDUs of a connection. Called on the engine's thread. */
public interface FpduObserver {
  /**
   * An FPDU has been built and is handed to TCP.
   *
   * @param position stream position of its first octet
   * @param octets of the FPDU, with Markers, pad and CRC
   * @param head address of the first part of its ULPDU, valid during the call
   * @param headLength octets of that part
   * @param ulpduLength octets of the ULPDU
   */
  void onSent(long position, int octets, long head, int headLength, int ulpduLength);

  /**
   * A valid FPDU has been received, in order or early.
   *
   * @param octets of the FPDU, with Markers, pad and CRC
   * @param ulpdu its ULPDU, valid during the call
   */
  void onReceived(int octets, Ulpdu ulpdu);
}
