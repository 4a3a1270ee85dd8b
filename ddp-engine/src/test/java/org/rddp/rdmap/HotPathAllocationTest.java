package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.sending.RateLimit;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.ddp.sending.TenantScheduler;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** The hot path makes no objects: from the post, through both ends, to both completions. */
class HotPathAllocationTest {
  private static final long MILLISECOND = 1_000_000;
  private static final int ROUNDS = 10_000;
  private static final int MOST_ROUNDS = 20 * ROUNDS;
  private static final int LENGTH = 4000;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Counts; posts every receive again. */
  private static final class Counter implements StartupHandler, RdmapHandler {
    private final StreamRequest request = new StreamRequest();
    private RdmapStream stream;
    private long receiveAddress;
    private long[] completions = new long[8];
    private int others;

    @Override
    public void onRequest(MpaStartup asked, byte[] privateData) {}

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {}

    @Override
    public void onRejected(byte[] privateData) {
      others++;
    }

    @Override
    public void onCompletion(long id, int kind, int status, long octets) {
      if (status != RdmapCompletionStatus.SUCCESS) {
        others++;
        return;
      }
      completions[kind]++;
      if (kind == CompletionKind.RECEIVE) {
        stream.postReceive(request.begin(id).memory(receiveAddress, LENGTH));
      }
    }

    @Override
    public void onError(int layer, int type, int code, String detail) {
      others++;
    }

    @Override
    public void onPeerClosed() {
      others++;
    }

    @Override
    public void onClosed(CloseReason reason) {
      others++;
    }
  }

  private final GuardedMemory memory = new GuardedMemory(2 * LENGTH);
  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(100, new Random(1)));
  private final ProtectionDomain domain = new ProtectionDomain("p");
  private final Counter left = new Counter();
  private final Counter right = new Counter();
  private final StreamRequest request = new StreamRequest();
  private Runnable turn;
  private long now;
  private InMemoryTcpPair tcp;
  private int stag;
  private DdpMemoryWindow window;

  private void round() {
    left.stream.postWrite(request.begin(1).memory(memory.address(), LENGTH).remote(stag, 0));
    left.stream.postRead(request.begin(4).local(stag, 0, LENGTH / 2).remote(stag, LENGTH / 2));
    left.stream.postSend(request.begin(2).memory(memory.address(), 64));
    left.stream.postFetchAdd(
        request.begin(5).memory(memory.address() + 64, 8).remote(stag, 0).operands(1, 0, 0, -1));
    RdmapLocalOperations local = left.stream.localOperations();
    TaggedBuffer region = engine.taggedBuffers().lookup(stag);
    int opened = window.nextStag();
    local.postBind(
        request.begin(7).bind(window, region, AccessRights.REMOTE_WRITE).local(0, 0, LENGTH));
    local.postInvalidate(request.begin(6).local(opened, 0, 0));
    left.stream.postWriteImmediate(
        request.begin(1).memory(memory.address(), LENGTH).remote(stag, 0).immediate(7));
    tcp.run(turn);
    right.stream.postSend(request.begin(3).memory(memory.address(), LENGTH));
    tcp.run(turn);
  }

  private long allocated(int rounds) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < rounds; i++) {
      round();
    }
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void shouldMakeNoObjectsForAMessage() {
    turn = () -> engine.send(64);
    exchange(null, null);
  }

  @Test
  void shouldMakeNoObjectsForAMessageOfATenant() {
    TenantScheduler tenants = engine.share(new RateLimit(1_000_000_000_000L, 1 << 16));
    SendTenant one = tenants.add(1, null);
    SendTenant other = tenants.add(9, new RateLimit(1_000_000_000_000L, 1 << 16));
    turn = () -> engine.send(64, now += MILLISECOND);
    exchange(one, other);
    assertThat(one.streams() + other.streams()).isEqualTo(2);
  }

  private void exchange(SendTenant ofLeft, SendTenant ofRight) {
    byte[] none = {};
    left.receiveAddress = memory.address();
    right.receiveAddress = memory.address() + LENGTH;
    RdmapSettings settings = RdmapSettings.DEFAULTS;
    left.stream = new RdmapStream(engine, domain, settings, left);
    right.stream = new RdmapStream(engine, domain, settings, right);
    if (ofLeft != null) {
      left.stream.ddp().sender().sendAs(ofLeft);
      right.stream.ddp().sender().sendAs(ofRight);
    }
    stag =
        engine
            .taggedBuffers()
            .register(domain, null, memory.address() + LENGTH, LENGTH, 0, AccessRights.ALL);
    window = engine.taggedBuffers().allocateWindow(domain);
    MpaStartup asked = MpaStartup.responder(settings.mpa(), right, right.stream.ddp());
    tcp =
        new InMemoryTcpPair(
            MpaStartup.initiator(settings.mpa(), none, left, left.stream.ddp()), asked, 1448);
    tcp.run(turn);
    for (int i = 0; i < 8; i++) {
      left.stream.postReceive(request.begin(i).memory(left.receiveAddress, LENGTH));
      right.stream.postReceive(request.begin(i).memory(right.receiveAddress, LENGTH));
    }
    asked.accept(none);
    tcp.run(turn);

    // The compiler may throw code away once in a while, and the interpreter make an object then.
    long least = Long.MAX_VALUE;
    int rounds = 0;
    while (least > 0 && rounds < MOST_ROUNDS) {
      least = Math.min(least, allocated(ROUNDS));
      rounds += ROUNDS;
    }
    assertThat(least).isZero();
    assertThat(left.completions)
        .containsExactly(0, rounds, 2L * rounds, rounds, rounds, rounds, rounds, rounds);
    assertThat(right.completions).containsExactly(0, rounds, 0, 2L * rounds, 0, 0, 0, 0);
    assertThat(left.others + right.others).isZero();
  }
}
