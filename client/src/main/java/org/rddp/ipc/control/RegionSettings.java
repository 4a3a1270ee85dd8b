package org.rddp.ipc.control;

/**
 * Settings of a region, chosen by the program.
 *
 * @param rights see {@link org.rddp.client.types.Access#bit()}
 * @param connection the only connection that may use the STag; 0: all of the session
 * @param baseTo Tagged Offset of the first octet, unsigned; with the region's length added it is
 *     below 2^64
 */
public record RegionSettings(int rights, int connection, long baseTo) {
  /** Settings of a region whose Tagged Offsets begin at 0. */
  public RegionSettings(int rights, int connection) {
    this(rights, connection, 0);
  }

  void write(MessageBuffer buffer) {
    buffer.putInt(rights);
    buffer.putInt(connection);
    buffer.putLong(baseTo);
  }

  static RegionSettings read(MessageBuffer buffer) throws ControlProtocolException {
    return new RegionSettings(buffer.getInt(), buffer.getInt(), buffer.getLong());
  }
}
