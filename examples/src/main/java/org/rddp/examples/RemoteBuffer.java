package org.rddp.examples;

import java.nio.ByteBuffer;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.PrivateData;

/**
 * What a peer needs to reach memory of this program: STag, Tagged Offset, and length in octets. The
 * private data of a connection's request or reply carries it.
 */
record RemoteBuffer(int stag, long to, long length) {
  static RemoteBuffer of(MemoryRegion region) {
    return new RemoteBuffer(region.stag(), region.baseTo(), region.length());
  }

  static RemoteBuffer from(PrivateData data) {
    ByteBuffer fields = ByteBuffer.wrap(data.toByteArray());
    return new RemoteBuffer(fields.getInt(), fields.getLong(), fields.getLong());
  }

  PrivateData toPrivateData() {
    return PrivateData.of(ByteBuffer.allocate(20).putInt(stag).putLong(to).putLong(length).array());
  }
}
