package org.rddp.daemon;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import org.rddp.daemon.engine.EngineParts;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.device.FrameDevice;
import org.rddp.group.StackMember;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ipc.linux.PrivateMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * The parts of an engine, made at its start and at each restart.
 *
 * @param device the engine's queue
 * @param member its place among the engines of the interface
 * @param stags most STags at a time
 * @param heldMemory octets of memory for held messages
 * @param security of the interface for this engine, which outlives its stacks; null if it has no
 *     policy
 */
record QueueParts(
    FrameDevice device,
    InterfaceAddress address,
    TcpSettings settings,
    StackMember member,
    int stags,
    long heldMemory,
    IpSecurity security,
    SecureRandom random)
    implements EngineParts {
  @Override
  public TcpStack tcp(long now) {
    member.vacate(device.pool());
    return new TcpStack(device, address, settings, member, security, random, now);
  }

  @Override
  public DdpEngine ddp() {
    try {
      // A failed engine may still use its memory, so it is unmapped when unreachable.
      MemorySegment held = PrivateMemory.map(heldMemory).collected();
      return new DdpEngine(new TaggedBuffers(stags, random), new HeldMemory(held));
    } catch (SystemCallException e) {
      throw new UncheckedIOException("no memory for held messages", e);
    }
  }
}
