package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.VethEnds;

/**
 * The kernel's TCP one way over a veth link, by Java NIO with direct buffers, each end on a core of
 * its own. Arguments: {@code mtu}, {@code offloads}, {@code batch} (messages in a call of write()).
 * A task is that of {@link RddpStreamRig}, with {@code stream} where TCP alone bounds the octets
 * under way. A sample has the same figures, except those of an engine.
 *
 * <p>A stream's sockets block, which is fastest; otherwise both ends poll.
 */
public final class KernelStreamRig implements Rig {
  private static final int POLLS = 64;

  private SocketReceiver receiver;
  private SocketChannel sender;
  private int batch;

  @Override
  public void open(JsonObject arguments) throws Exception {
    VethEnds link =
        new VethEnds(arguments.get("mtu").getAsInt(), arguments.get("offloads").getAsBoolean());
    batch = Json.integer(arguments, "batch", 1);
    receiver =
        new SocketReceiver(
            Cpus.far(),
            () -> {
              link.enterServer();
              return link.serverAddress();
            });
    Affinity.pin(Cpus.near());
    try {
      link.enterClient();
    } catch (IOException e) {
      throw new CannotRunException(e.getMessage());
    }
    sender = receiver.connect(link.serverAddress());
  }

  @Override
  public Sample round(JsonObject task) throws IOException {
    int octets = task.get("octets").getAsInt();
    int outstanding = task.get("outstanding").getAsInt();
    boolean stream = Json.flag(task, "stream", false);
    int together = stream ? batch : Math.min(batch, outstanding);
    long most = stream ? 0 : (long) outstanding * octets;
    receiver.poll(!stream);
    ByteBuffer messages = ByteBuffer.allocateDirect(octets * together);
    long before = receiver.read();
    ResourceUsage usage = new ResourceUsage(ResourceUsage.NO_ENGINE);
    long began = System.nanoTime();
    long sent = send(messages, most, began + Json.nanos(task), before);
    long ended = System.nanoTime();
    while (receiver.read() < before + sent) {
      receiver.check(ended);
      Thread.onSpinWait();
    }
    long nanos = System.nanoTime() - began;
    long count = sent / octets;
    return usage.addTo(RddpStreamRig.sample(count, octets, nanos), count);
  }

  private long send(ByteBuffer messages, long most, long end, long before) throws IOException {
    long sent = 0;
    do {
      for (int i = 0; i < POLLS; i++) {
        if (most > 0 && sent - (receiver.read() - before) + messages.capacity() > most) {
          Thread.onSpinWait();
          continue;
        }
        messages.clear();
        while (messages.hasRemaining()) {
          sent += sender.write(messages);
        }
      }
    } while (System.nanoTime() < end);
    return sent;
  }

  @Override
  public void close() throws IOException {
    if (sender != null) {
      sender.close();
    }
  }
}
