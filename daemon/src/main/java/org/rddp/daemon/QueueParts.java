package org.rddp.daemon;

import java.security.SecureRandom;
import org.rddp.daemon.engine.EngineParts;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.StackMember;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * What an engine is made of, at first and whenever it begins anew.
 *
 * @param device the engine's queue
 * @param member its place among the engines of the interface
 * @param stags most STags at a time
 */
record QueueParts(
    FrameDevice device,
    InterfaceAddress address,
    TcpSettings settings,
    StackMember member,
    int stags,
    SecureRandom random)
    implements EngineParts {
  @Override
  public TcpStack tcp(long now) {
    member.vacate(device.pool());
    return new TcpStack(device, address, settings, member, random, now);
  }

  @Override
  public DdpEngine ddp() {
    return new DdpEngine(new TaggedBuffers(stags, random));
  }
}
