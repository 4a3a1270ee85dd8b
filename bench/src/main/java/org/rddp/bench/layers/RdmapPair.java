package org.rddp.bench.layers;

import java.util.Random;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rddp.bench.harness.RdmapAdapter;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaStartup;
import org.rddp.rdmap.RdmapCompletionStatus;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.testing.InMemoryTcpPair;
import org.rddp.wire.Memory;

/** Two ends of an RDMAP stream over a TCP that costs almost nothing, and their regions. */
@State(Scope.Thread)
public class RdmapPair {
  /** Messages of a burst. */
  static final int BURST = 32;

  /** Octets of a message. */
  @Param({"64", "1442", "8938"})
  public int octets;

  /** Regions at either end. */
  @Param({"1", "10000"})
  public int regions;

  private final StreamRequest request = new StreamRequest();
  private final SplittableRandom random = new SplittableRandom(1);
  private final int[] burst = new int[BURST];
  private final Counting from = new Counting();
  private final Counting to = new Counting();
  private final DdpEngine sender = new DdpEngine(new TaggedBuffers(1, new Random(1)));
  private long sources;
  private long sinks;
  private int[] stags;
  private RdmapStream source;
  private RdmapStream sink;
  private InMemoryTcpPair streams;

  /** Registers the regions, and starts the stream up. */
  @Setup
  public void open() {
    DdpEngine receiver = new DdpEngine(new TaggedBuffers(regions, new Random(2)));
    ProtectionDomain domain = new ProtectionDomain("bench");
    sources = Memory.allocate((long) regions * octets);
    sinks = Memory.allocate((long) regions * octets);
    Memory.fill(sources, (long) regions * octets, 7);
    stags = new int[regions];
    for (int i = 0; i < regions; i++) {
      long address = sinks + (long) i * octets;
      stags[i] =
          receiver
              .taggedBuffers()
              .register(domain, null, address, octets, 0, AccessRights.REMOTE_WRITE);
    }
    byte[] none = {};
    RdmapSettings settings = RdmapSettings.DEFAULTS;
    source = new RdmapStream(sender, domain, settings, from);
    sink = new RdmapStream(receiver, domain, settings, to);
    streams =
        new InMemoryTcpPair(
            MpaStartup.initiator(settings.mpa(), none, from, source.ddp()),
            MpaStartup.responder(settings.mpa(), to, sink.ddp()),
            octets + 64);
    streams.run(() -> {});
  }

  /** Chooses the regions of the next burst. */
  void draw() {
    for (int i = 0; i < BURST; i++) {
      burst[i] = random.nextInt(regions);
    }
  }

  /** Posts and sends a burst of RDMA Writes; returns the number of segments. */
  int writeBurst() {
    for (int index : burst) {
      source.postWrite(
          request
              .begin(index)
              .memory(sources + (long) index * octets, octets)
              .remote(stags[index], 0));
    }
    return sender.send(BURST);
  }

  /** Posts and sends a burst of Sends; returns the number of segments. */
  int sendBurst() {
    for (int index : burst) {
      source.postSend(request.begin(index).memory(sources + (long) index * octets, octets));
    }
    return sender.send(BURST);
  }

  /** Posts a receive for each message of the next burst. */
  void postReceives() {
    for (int index : burst) {
      sink.postReceive(request.begin(index).memory(sinks + (long) index * octets, octets));
    }
  }

  /** Delivers the segments sent; returns their number. */
  int deliverBurst() {
    return streams.deliverFirst();
  }

  /** Octets of messages that were received. */
  long received() {
    return to.octets;
  }

  /** Octets of messages that were sent. */
  long sent() {
    return from.octets;
  }

  /** Whether the last octet of every region of the last burst is right. */
  boolean placed() {
    for (int index : burst) {
      if (Memory.getByte(sinks + (index + 1L) * octets - 1) != 7) {
        return false;
      }
    }
    return true;
  }

  /** Counts the octets of completions. */
  private static final class Counting extends RdmapAdapter {
    private long octets;

    @Override
    public void onCompletion(long id, int kind, int status, long octets) {
      if (status != RdmapCompletionStatus.SUCCESS) {
        throw new IllegalStateException("a request ended with status " + status);
      }
      this.octets += octets;
    }
  }
}
