package org.rddp.fuzz;

import org.rddp.device.FrameSink;
import org.rddp.device.NativePacketPool;
import org.rddp.device.ScriptedDevice;
import org.rddp.wire.Memory;

/** A device for a script, which inserts received frames and is shown every sent frame. */
final class FuzzedDevice extends ScriptedDevice {
  private final FrameSink sink;

  /** The octets behind every received frame. */
  int filler;

  FuzzedDevice(NativePacketPool pool, int mtu, FrameSink sink) {
    super(pool, mtu);
    this.sink = sink;
  }

  @Override
  public int receive(long[] packets) {
    int count = super.receive(packets);
    for (int i = 0; i < count; i++) {
      long end = pool().address(packets[i]) + pool().length(packets[i]);
      Memory.fill(end, pool().end(packets[i]) - end, filler);
    }
    if (count < packets.length) {
      discard(); // a card drops frames without a buffer
    }
    return count;
  }

  @Override
  protected void sent(long packet) {
    sink.onFrame(true, pool().address(packet), pool().length(packet));
  }
}
