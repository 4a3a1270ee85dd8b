package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.group.StackGroup;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.ImpairedDevice;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/** MPA on two TCP stacks and a bad link, one life per seed, under virtual time. */
class MpaOverTcpTest {
  private static final int LIVES = 120;
  private static final int PORT = 9999;
  private static final long SECOND = 1_000_000_000L;

  @Test
  @Tag("MPA-4.3-15") // ULPDUs with their boundaries
  @Tag("MPA-8-13") // nothing behind an error
  @Tag("MPA-2-01") // in order
  @Tag("MPAA-1-04") // nothing accepted is lost
  @Tag("D03-3.2-02") // the user repairs nothing
  @Tag("D03-5.1.2-03") // no segment twice
  @Tag("D03-5.1.2-04") // Delivered in order
  @Tag("D03-7.3-03") // nothing accepted is lost
  @Tag("D03-7.3-04") // FPDUs with their format
  @Tag("MPA-7.1.5-03") // TCP repairs
  void shouldPassEveryUlpduOnceAndInOrderWhateverTheLinkDoes() {
    long retransmitted = 0;
    long outOfOrder = 0;
    int split = 0;
    int early = 0;
    for (long seed = 1; seed <= LIVES; seed++) {
      Life life = new Life(seed);
      life.run();
      retransmitted += life.first.counters().retransmitted + life.second.counters().retransmitted;
      outOfOrder += life.first.counters().outOfOrder + life.second.counters().outOfOrder;
      split += life.initiator.inPieces + life.responder.inPieces;
      early += life.initiator.early + life.responder.early;
    }
    assertThat(retransmitted).isPositive();
    assertThat(outOfOrder).isPositive();
    assertThat(split).isPositive();
    assertThat(early).as("FPDUs passed before their turn").isGreaterThan(LIVES);
  }

  @Test
  @DisplayName("the same in ESP, with every suite and mode, while associations are replaced")
  void shouldPassEveryUlpduInEsp() {
    long replayed = 0;
    long forged = 0;
    int replaced = 0;
    for (long seed = 1; seed <= LIVES; seed++) {
      Life life = new Life(seed, true);
      life.run();
      SecuredPair security = life.security;
      assertThat(security.isSound()).as("seed %d", seed).isTrue();
      replayed += security.replayed();
      forged += security.forged();
      replaced += security.replaced();
    }
    assertThat(replayed).isPositive();
    assertThat(forged).isPositive();
    assertThat(replaced).isGreaterThan(LIVES);
  }

  /** A user of MPA that sends random ULPDUs, closes, and records what it receives. */
  private static final class User implements StartupHandler, UlpduHandler {
    private final Random random;
    private final List<byte[]> sent = new ArrayList<>();
    private final TreeMap<Long, byte[]> received = new TreeMap<>();
    private final long buffer = Memory.allocate(1 << 16);
    private MpaStartup startup;
    private MpaConnection mpa;
    private int left;
    private int inPieces;
    private int early;
    private long delivered;
    private boolean peerClosed;
    private String error;
    private CloseReason closed;

    User(long seed, int ulpdus) {
      random = new Random(seed);
      left = ulpdus;
    }

    @Override
    public void onRequest(MpaStartup asked, byte[] privateData) {
      asked.accept(privateData);
    }

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {}

    @Override
    public void onFullOperation(MpaConnection begun) {
      mpa = begun;
      proceed();
    }

    @Override
    public void onUlpdu(Ulpdu ulpdu) {
      ulpdu.copy(0, buffer, ulpdu.length());
      check(received.put(ulpdu.position(), Memory.bytes(buffer, ulpdu.length())) == null, "twice");
      if (ulpdu.early()) {
        early++;
      } else {
        check(ulpdu.position() >= delivered, "not in order");
        check(received.higherKey(delivered - 1) == ulpdu.position(), "passed by an early one");
        delivered = ulpdu.position() + 1;
      }
      inPieces += ulpdu.fragments() > 1 ? 1 : 0;
    }

    @Override
    public void onDelivered(long position) {
      check(position > delivered, "delivered " + position + " after " + delivered);
      delivered = position;
    }

    private void check(boolean holds, String what) {
      if (!holds && error == null) {
        error = what;
      }
    }

    @Override
    public void onSendable() {
      proceed();
    }

    private void proceed() {
      while (left > 0 && mpa.sendable()) {
        byte[] ulpdu = new byte[1 + random.nextInt(random.nextBoolean() ? 60 : mpa.mulpdu())];
        random.nextBytes(ulpdu);
        int header = random.nextInt(ulpdu.length + 1);
        long staging = buffer + (1 << 15);
        Memory.copy(ulpdu, 0, staging, ulpdu.length);
        if (!mpa.send(staging, header, staging + header, ulpdu.length - header)) {
          return;
        }
        sent.add(ulpdu);
        left--;
      }
      if (left == 0) {
        mpa.closeSend();
      }
    }

    @Override
    public void onRejected(byte[] privateData) {
      error = "rejected";
    }

    @Override
    public void onMulpdu(int mulpdu) {}

    @Override
    public void onPeerClosed() {
      peerClosed = true;
    }

    @Override
    public void onError(MpaError number, String detail) {
      error = number + " " + detail;
    }

    @Override
    public void onClosed(CloseReason reason) {
      closed = reason;
    }
  }

  /** One connection from its opening to its end, everything about it drawn from a seed. */
  private static final class Life {
    private final long seed;
    private final NativePacketPool firstPool = new NativePacketPool(256, 9100);
    private final NativePacketPool secondPool = new NativePacketPool(256, 9100);
    private final ImpairedDevice[] link;
    private final TcpStack first;
    private final TcpStack second;
    private final User initiator;
    private final User responder;
    private long now = SECOND;

    /** Null if the hosts have no security policy. */
    private final SecuredPair security;

    Life(long seed) {
      this(seed, false);
    }

    Life(long seed, boolean secured) {
      this.seed = seed;
      SplittableRandom random = new SplittableRandom(seed);
      int mtu = (random.nextBoolean() ? 1500 : 200 + random.nextInt(8800)) + (secured ? 100 : 0);
      LoopedDevice[] ends = LoopedDevice.pair(firstPool, secondPool, mtu, 100);
      link = new ImpairedDevice[] {impaired(ends[0], random), impaired(ends[1], random)};
      security = secured ? new SecuredPair(host(1), host(2), new SplittableRandom(~seed)) : null;
      first = stack(1, secured ? security.first : null, random);
      second = stack(2, secured ? security.second : null, random);
      if (secured) {
        security.begin(now);
      }
      initiator = new User(seed, 1 + random.nextInt(120));
      responder = new User(-seed, random.nextInt(120));
      Form form = Form.of(random);
      byte[] privateData = new byte[random.nextInt(form.privateData() + 1)];
      MpaSettings wanted = form.wanted(wishes(random));
      initiator.startup = MpaStartup.initiator(wanted, privateData, initiator, initiator);
      responder.startup = MpaStartup.responder(form.wanted(wishes(random)), responder, responder);
    }

    /** How both ends begin. */
    private enum Form {
      REVISION_1,
      REVISION_2,
      PEER_TO_PEER,
      START_KEY,
      START_KEY_WITH_PRIVATE_DATA;

      static Form of(SplittableRandom random) {
        return values()[random.nextInt(values().length)];
      }

      /** The most octets of Private Data. */
      int privateData() {
        return switch (this) {
          case REVISION_1, START_KEY_WITH_PRIVATE_DATA -> 512;
          case REVISION_2, PEER_TO_PEER -> 508;
          case START_KEY -> 0;
        };
      }

      MpaSettings wanted(MpaSettings wishes) {
        return wishes
            .withRevision(this == REVISION_2 || this == PEER_TO_PEER ? 2 : 1)
            .withPeerToPeer(this == PEER_TO_PEER)
            .withStartKey(this == START_KEY || this == START_KEY_WITH_PRIVATE_DATA)
            .withStreamedPrivateData(this == START_KEY_WITH_PRIVATE_DATA);
      }
    }

    private static ImpairedDevice impaired(LoopedDevice device, SplittableRandom random) {
      double often = random.nextInt(4) == 0 ? 0 : random.nextDouble(0.08);
      WireSettings wire =
          WireSettings.PERFECT
              .withLoss(often)
              .withDuplicate(often / 2)
              .withReorder(often)
              .withReorderDelay(7)
              .withCorrupt(often / 4);
      return new ImpairedDevice(device, random.nextLong(), wire);
    }

    /** Small buffers and windows make TCP cut FPDUs. */
    private static TcpSettings settings(SplittableRandom random) {
      return TcpSettings.DEFAULTS
          .withReceiveBuffer(2048 + random.nextInt(1 << random.nextInt(10, 20)))
          .withWindowScale(random.nextBoolean())
          .withTimestamps(random.nextBoolean())
          .withConnectTimeout(600 * SECOND)
          .withUserTimeout(600 * SECOND)
          .withTimeWait(SECOND)
          .withMinimumRetransmission(SECOND / 100)
          .withMaximumRetransmission(5 * SECOND)
          .withInitialRetransmission(SECOND);
    }

    private static MpaSettings wishes(SplittableRandom random) {
      return MpaSettings.DEFAULTS
          .withMarkers(random.nextBoolean())
          .withEarly(random.nextInt(4) > 0)
          .withCrc(random.nextInt(3) > 0)
          .withPacking(random.nextBoolean())
          .withStartupTimeoutNanos(600 * SECOND);
    }

    private TcpStack stack(int host, IpSecurity its, SplittableRandom random) {
      InterfaceAddress address = new InterfaceAddress(host(host), 24);
      TcpSettings settings = settings(random);
      return new TcpStack(
          link[host - 1], address, settings, StackGroup.alone(), its, random.split(), now);
    }

    private static Ipv4Address host(int number) {
      return Ipv4Address.parse("10.99.0." + number);
    }

    void run() {
      second.listen(PORT, (stream, remote, port) -> responder.startup);
      first.connect(Ipv4Address.parse("10.99.0.2"), PORT, initiator.startup);
      while (initiator.closed == null || responder.closed == null) {
        turn(first);
        turn(second);
        if (security != null) {
          security.turn(now);
        }
        now += SECOND / 1000;
        assertThat(now).as("seed %d: still at it after an hour", seed).isLessThan(3600 * SECOND);
      }
      check(initiator, responder);
      check(responder, initiator);
      first.close();
      second.close();
      link[0].close();
      link[1].close();
      assertThat(firstPool.available()).as("seed %d", seed).isEqualTo(firstPool.capacity());
      assertThat(secondPool.available()).as("seed %d", seed).isEqualTo(secondPool.capacity());
    }

    private void turn(TcpStack stack) {
      stack.receive(now);
      stack.advance(now);
      stack.transmit(now);
    }

    private void check(User to, User from) {
      assertThat(to.error).as("seed %d", seed).isNull();
      assertThat(to.peerClosed).as("seed %d", seed).isTrue();
      assertThat(to.closed).as("seed %d", seed).isEqualTo(CloseReason.NORMAL);
      assertThat(to.received.values()).as("seed %d", seed).containsExactlyElementsOf(from.sent);
      assertThat(to.received.ceilingKey(to.delivered)).as("seed %d", seed).isNull();
      assertThat(from.left).as("seed %d", seed).isZero();
    }
  }
}
