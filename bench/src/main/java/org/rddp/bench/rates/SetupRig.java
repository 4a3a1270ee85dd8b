package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.RdmapAdapter;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.UlpduHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.rig.Affinity;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * Opens connections from stack to stack: TCP's handshake, MPA's startup, both ends in Full
 * Operation, and a reset. Both stacks on one thread, over a link that copies. A task has {@code
 * pipelined}, the connections opened at a time, and {@code millis}; a sample has {@code rate},
 * connections a second.
 */
public final class SetupRig implements Rig {
  private static final int PORT = 7;
  private static final int PACKETS = 8192;
  private static final int FRAMES = 2048;
  private static final int SEGMENTS = 64;
  private static final int MTU = 1500;
  private static final byte[] NONE = {};
  private static final RdmapSettings RDMAP = RdmapSettings.DEFAULTS;

  private final ProtectionDomain domain = new ProtectionDomain("bench");
  private End near;
  private End far;

  /** Connections being opened. */
  private int opening;

  private long opened;

  /** A stack. */
  private static final class End {
    private final Ipv4Address address;
    private final TcpStack tcp;
    private final DdpEngine ddp;

    End(String address, FrameDevice device) {
      Random random = new Random(address.hashCode());
      this.address = Ipv4Address.parse(address);
      TcpSettings settings =
          TcpSettings.DEFAULTS
              .withBacklog(1 << 14)
              .withPeerBacklog(1 << 14)
              .withPeerConnections(1 << 16);
      tcp =
          new TcpStack(
              device, new InterfaceAddress(this.address, 24), settings, random, System.nanoTime());
      tcp.reportFailuresTo(failure -> {
        throw new IllegalStateException(failure);
      });
      ddp = new DdpEngine(new TaggedBuffers(16, random));
    }

    void turn(long now) {
      tcp.receive(now);
      ddp.send(SEGMENTS);
      tcp.advance(now);
      tcp.transmit(now);
    }
  }

  @Override
  public void open(JsonObject arguments) throws Exception {
    Affinity.pin(Affinity.allowed()[0]);
    NativePacketPool one = new NativePacketPool(PACKETS, MTU + 64);
    NativePacketPool two = new NativePacketPool(PACKETS, MTU + 64);
    LoopedDevice[] link = LoopedDevice.pair(one, two, MTU, FRAMES);
    near = new End("10.0.0.1", link[0]);
    far = new End("10.0.0.2", link[1]);
    far.tcp.listen(
        PORT,
        (stream, address, port) -> {
          Responder responder = new Responder();
          RdmapStream asked = new RdmapStream(far.ddp, domain, RDMAP, responder);
          return MpaStartup.responder(RDMAP.mpa(), responder, asked.ddp());
        });
  }

  @Override
  public Sample round(JsonObject task) {
    int pipelined = task.get("pipelined").getAsInt();
    long nanos = Json.nanos(task);
    opened = 0;
    long began = System.nanoTime();
    long now = began;
    while (now - began < nanos || opening > 0) {
      while (now - began < nanos && opening < pipelined) {
        Initiator initiator = new Initiator();
        UlpduHandler asking = new RdmapStream(near.ddp, domain, RDMAP, initiator).ddp();
        MpaStartup startup = MpaStartup.initiator(RDMAP.mpa(), NONE, initiator, asking);
        initiator.tcp = near.tcp.connect(far.address, PORT, startup);
        opening++;
      }
      near.turn(now);
      far.turn(now);
      now = System.nanoTime();
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rate", opened * 1e9 / (now - began));
    figures.put("opened", (double) opened);
    return Sample.of(figures);
  }

  @Override
  public void close() {}

  private abstract static class Ending extends RdmapAdapter {
    @Override
    public void onError(int layer, int type, int code, String detail) {}
  }

  /** Accepts. */
  private static final class Responder extends Ending {}

  /** Counts the established stream, and resets it. */
  private final class Initiator extends Ending {
    private TcpConnection tcp;

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {
      opened++;
      opening--;
      tcp.abort();
    }

    @Override
    public void onClosed(CloseReason reason) {
      if (reason != CloseReason.ABORTED) {
        throw new IllegalStateException("not established: " + reason);
      }
    }
  }
}
