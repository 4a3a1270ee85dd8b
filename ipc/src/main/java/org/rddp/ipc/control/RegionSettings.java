package org.rddp.ipc.control;

import org.rddp.client.types.ProtectionDomains;

/**
 * Settings of a region, chosen by the program.
 *
 * @param rights see {@link org.rddp.client.types.Access#bit()}
 * @param connection the only connection that may use the STag; 0: all of the session
 * @param baseTo Tagged Offset of the first octet, unsigned; with the region's length added it is
 *     below 2^64
 * @param domain number of the protection domain, that of the connection if there is one
 */
public record RegionSettings(int rights, int connection, long baseTo, int domain) {
  /** Settings of a region in the default domain. */
  public RegionSettings(int rights, int connection, long baseTo) {
    this(rights, connection, baseTo, ProtectionDomains.DEFAULT);
  }

  /** Settings of a region whose Tagged Offsets begin at 0. */
  public RegionSettings(int rights, int connection) {
    this(rights, connection, 0);
  }

  void write(MessageBuffer buffer) {
    buffer.putInt(rights);
    buffer.putInt(connection);
    buffer.putLong(baseTo);
    buffer.putInt(domain);
  }

  static RegionSettings read(MessageBuffer buffer) throws ControlProtocolException {
    return new RegionSettings(buffer.getInt(), buffer.getInt(), buffer.getLong(), buffer.getInt());
  }
}
