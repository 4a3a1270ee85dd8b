package org.rddp.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A device with several receive queues on top of one that has none, as a network card has them: a
 * {@link FlowSteering} chooses the queue of each frame. All queues are of one thread; for
 * simulations and tests.
 */
public final class SteeredDevice {
  private static final int BURST = 64;

  private final FrameDevice device;
  private final List<Queue> queues = new ArrayList<>();
  private final long[] burst = new long[BURST];
  private FlowSteering steering;
  private FlowSteering foretold;

  /**
   * Splits a device.
   *
   * @param device whose frames the queues share; closed with the last of them
   */
  public SteeredDevice(FrameDevice device, int queues, FlowSteering steering) {
    this.device = device;
    this.steering = steering;
    this.foretold = steering;
    PacketPool share = queues == 1 ? device.pool() : new PoolShare(device.pool(), queues);
    for (int i = 0; i < queues; i++) {
      this.queues.add(new Queue(device, share, i));
    }
  }

  /**
   * Changes the table behind the back of the stacks, which go on to choose ports by the one before.
   */
  public void steer(FlowSteering other) {
    steering = other;
  }

  /** The stacks cannot foretell queues from now on, as with a device that hides its table. */
  public void hideSteering() {
    foretold = null;
  }

  /** Frames that have come and wait in the queues. */
  public int waiting() {
    int sum = 0;
    for (Queue each : queues) {
      sum += each.waiting.size();
    }
    return sum;
  }

  /** A queue, from 0. */
  public FrameDevice queue(int index) {
    return queues.get(index);
  }

  private void receiveAll() {
    int count = device.receive(burst);
    for (int i = 0; i < count; i++) {
      PacketPool pool = device.pool();
      int queue = steering.queue(pool.address(burst[i]), pool.length(burst[i]));
      queues.get(queue).waiting.add(burst[i]);
    }
  }

  private final class Queue extends WrappedDevice {
    private final PacketPool share;
    private final int number;
    private final ArrayDeque<Long> waiting = new ArrayDeque<>();
    private boolean closed;

    private Queue(FrameDevice device, PacketPool share, int number) {
      super(device);
      this.share = share;
      this.number = number;
    }

    @Override
    public PacketPool pool() {
      return share;
    }

    @Override
    public int longestFrame() {
      return device().longestFrame();
    }

    @Override
    public int offloads() {
      return device().offloads();
    }

    @Override
    public void requestOffload(long packet, int link, int ip, int tcp, int segment) {
      device().requestOffload(packet, link, ip, tcp, segment);
    }

    @Override
    public boolean receives(int remote, int remotePort, int local, int localPort) {
      return foretold == null || foretold.queue(remote, local, remotePort, localPort) == number;
    }

    @Override
    public boolean receives(
        long remoteHigh,
        long remoteLow,
        int remotePort,
        long localHigh,
        long localLow,
        int localPort) {
      return foretold == null
          || number
              == foretold.queue(remoteHigh, remoteLow, localHigh, localLow, remotePort, localPort);
    }

    @Override
    public boolean foretells(boolean ipv6) {
      return foretold != null;
    }

    @Override
    public int receive(long[] packets) {
      if (waiting.isEmpty()) {
        receiveAll();
      }
      int count = 0;
      while (count < packets.length && !waiting.isEmpty()) {
        packets[count++] = waiting.remove();
      }
      return count;
    }

    @Override
    public void close() {
      closed = true;
      waiting.forEach(share::release);
      waiting.clear();
      if (queues.stream().allMatch(each -> each.closed)) {
        device().close();
      }
    }
  }
}
