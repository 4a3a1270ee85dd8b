package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.TemporaryFolder;
import org.rddp.rig.VethEnds;
import org.rddp.rig.WaitStrategy;

/**
 * Aeron between two threads on a CPU each. By shared memory (IPC), the driver has a thread of its
 * own, which sleeps most of the time, since it takes no part in a message. By UDP between two
 * network namespaces (argument {@code udp}), each end's thread runs a driver, so that two cores
 * suffice.
 */
public final class AeronRig extends TimedRig {
  private static final int THERE = 1001;
  private static final int BACK = 1002;
  private static final int PORT = 20121;

  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final WaitStrategy waiting = WaitStrategy.spinning();
  private final UnsafeBuffer message =
      new UnsafeBuffer(ByteBuffer.allocateDirect(ProgramRoundTrips.LONGEST));
  private final FragmentHandler taking = new FragmentAssembler(this::take);
  private boolean udp;
  private TemporaryFolder folder;
  private VethEnds ends;
  private AeronEnd end;
  private Publication there;
  private Subscription back;
  private PinnedThread<Void> echo;
  private int octets;
  private long expected;
  private boolean arrived;
  private boolean wrong;

  @Override
  public void open(JsonObject arguments) throws Exception {
    udp = arguments.has("udp");
    folder = new TemporaryFolder("rddp-aeron");
    if (udp) {
      ends = new VethEnds(true);
      echo = PinnedThread.start("echo", Cpus.far(), this::echoOverUdp);
      try {
        ends.enterClient();
      } catch (IOException e) {
        throw new CannotRunException("needs root, and ip and ethtool: " + e.getMessage());
      }
      Affinity.pin(Cpus.near());
    }
    end = new AeronEnd(folder.resolve("near"), udp);
    String channelBack = channel(udp ? ends.clientAddress().getHostAddress() : null);
    back = end.client().addSubscription(channelBack, BACK);
    there = end.client().addPublication(channel(udp ? host() : null), THERE);
    if (!udp) {
      echo = PinnedThread.start("echo", Cpus.far(), () -> echo(end, channelBack));
      Affinity.pin(Cpus.near());
    }
    while (!ready.isDone() || !there.isConnected() || !back.isConnected()) {
      end.work();
      waiting.idle();
      if (ready.isCompletedExceptionally()) {
        PinnedThread.result(ready);
      }
    }
  }

  private String host() {
    return ends.serverAddress().getHostAddress();
  }

  private static String channel(String host) {
    return host == null ? "aeron:ipc" : "aeron:udp?endpoint=" + host + ":" + PORT;
  }

  private Void echoOverUdp() throws Exception {
    try {
      ends.enterServer();
      try (AeronEnd own = new AeronEnd(folder.resolve("far"), true)) {
        return echo(own, channel(ends.clientAddress().getHostAddress()));
      }
    } catch (Exception e) {
      ready.completeExceptionally(e);
      throw e;
    }
  }

  private Void echo(AeronEnd own, String channelBack) {
    try (Subscription in = own.client().addSubscription(channel(udp ? host() : null), THERE);
        Publication out = own.client().addPublication(channelBack, BACK)) {
      FragmentHandler answer =
          new FragmentAssembler((buffer, offset, length, header) -> {
            while (out.offer(buffer, offset, length) < 0 && !interrupted()) {
              own.work();
            }
          });
      ready.complete(null);
      while (!interrupted()) {
        own.work();
        if (in.poll(answer, 10) == 0) {
          Thread.onSpinWait();
        }
      }
    }
    return null;
  }

  private static boolean interrupted() {
    return Thread.currentThread().isInterrupted();
  }

  @Override
  RoundTrip prepare(RttTask task) throws CannotRunException {
    task.requireMessages();
    octets = task.octets();
    return this::roundTrip;
  }

  private void roundTrip(long number) throws IOException {
    message.putLong(0, number);
    message.putLong(octets - Long.BYTES, number);
    expected = number;
    arrived = false;
    waiting.reset();
    while (there.offer(message, 0, octets) < 0) {
      end.work();
      waiting.idle();
    }
    while (!arrived) {
      end.work();
      if (back.poll(taking, 10) == 0) {
        waiting.idle();
      }
    }
    if (wrong) {
      throw new IOException("another message came back");
    }
  }

  private void take(DirectBuffer buffer, int offset, int length, Header header) {
    arrived = true;
    wrong |=
        length != octets
            || buffer.getLong(offset) != expected
            || buffer.getLong(offset + length - Long.BYTES) != expected;
  }

  @Override
  public void close() throws IOException {
    if (echo != null) {
      echo.close();
    }
    if (end != null) {
      end.close();
    }
    if (folder != null) {
      folder.close();
    }
  }
}
