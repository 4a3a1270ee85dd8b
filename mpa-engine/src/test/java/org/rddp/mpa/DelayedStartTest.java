package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.device.CapturedDevice;
import org.rddp.device.FrameDevice;
import org.rddp.device.ImpairedDevice;
import org.rddp.device.ImpairedDevice.Faults;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Memory;

/** The change from plain octets to MPA on two TCP stacks and a bad link, under virtual time. */
class DelayedStartTest {
  private static final int LIVES = 60;
  private static final int PORT = 9999;
  private static final long SECOND = 1_000_000_000L;

  /**
   * A program that says something, hears something, and then uses MPA. Who hears the end of the
   * other's words first has said its last streaming message and is the Responder; the other one
   * starts as Initiator when it has heard that (RFC 5044 figure 9).
   */
  private static final class Program implements StreamingHandler, UlpduHandler {
    private final boolean initiator;
    private final byte[] words;
    private final byte[] expected;
    private final byte[] ulpdu;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
    private final List<byte[]> received = new ArrayList<>();
    private final long buffer = Memory.allocate(1 << 16);
    private StreamingMode streaming;
    private MpaConnection mpa;
    private int said;
    private boolean startedAsResponder;
    private boolean ulpduSent;
    private String error;

    Program(boolean initiator, byte[] words, byte[] expected, byte[] ulpdu) {
      this.initiator = initiator;
      this.words = words;
      this.expected = expected;
      this.ulpdu = ulpdu;
    }

    @Override
    public void onOpen(StreamingMode opened) {
      streaming = opened;
      if (initiator) {
        speak();
      }
    }

    /** The Responder's words are its last streaming message: MPA begins with the last of them. */
    private void speak() {
      Memory.copy(words, 0, buffer, words.length);
      said += streaming.send(buffer + said, words.length - said);
      if (said == words.length && !initiator && !startedAsResponder) {
        startedAsResponder = true;
        mpa = MpaConnection.responder(MpaSettings.DEFAULTS, this);
        streaming.start(mpa);
      }
    }

    @Override
    public int onOctets(long address, int length) {
      int mine = Math.min(length, expected.length - heard.size());
      heard.writeBytes(Memory.bytes(address, mine));
      if (mine < length) {
        error = "octets behind the last word";
      }
      if (heard.size() == expected.length && initiator) {
        mpa = MpaConnection.initiator(MpaSettings.DEFAULTS, new byte[0], this);
        streaming.start(mpa);
      } else if (heard.size() == expected.length) {
        speak();
      }
      return mine;
    }

    @Override
    public void onRequest(byte[] privateData) {
      mpa.accept(privateData);
    }

    @Override
    public void onFullOperation(byte[] privateData) {
      sendUlpdu();
    }

    private void sendUlpdu() {
      if (!ulpduSent && mpa.sendable()) {
        Memory.copy(ulpdu, 0, buffer, ulpdu.length);
        ulpduSent = mpa.send(buffer, 0, buffer, ulpdu.length);
      }
    }

    @Override
    public void onRejected(byte[] privateData) {
      error = "rejected";
    }

    @Override
    public void onUlpdu(Ulpdu passed) {
      passed.copy(0, buffer, passed.length());
      received.add(Memory.bytes(buffer, passed.length()));
    }

    @Override
    public void onSendable() {
      if (mpa == null) {
        speak();
      } else {
        sendUlpdu();
      }
    }

    @Override
    public void onMulpdu(int mulpdu) {}

    @Override
    public void onPeerClosed() {}

    @Override
    public void onError(MpaError number, String detail) {
      error = number + " " + detail;
    }

    @Override
    public void onClosed(CloseReason reason) {
      error = "closed " + reason;
    }
  }

  /** Two hosts. */
  private static final class Hosts implements AutoCloseable {
    private final NativePacketPool firstPool = new NativePacketPool(256, 2304);
    private final NativePacketPool secondPool = new NativePacketPool(256, 2304);
    private final List<byte[]> sent = new ArrayList<>();
    private final FrameDevice[] devices = new FrameDevice[2];
    private final TcpStack first;
    private final TcpStack second;
    private long now = SECOND;

    Hosts(SplittableRandom random, double fault, int mtu) {
      LoopedDevice[] ends = LoopedDevice.pair(firstPool, secondPool, mtu, 100);
      Faults faults = new Faults(fault, fault / 2, fault, fault / 4);
      FrameDevice counted =
          new CapturedDevice(
              ends[0],
              (out, address, length) -> {
                if (out) {
                  sent.add(Memory.bytes(address, length));
                }
              });
      devices[0] = new ImpairedDevice(counted, random.split(), faults);
      devices[1] = new ImpairedDevice(ends[1], random.split(), faults);
      first = stack(devices[0], 1, random);
      second = stack(devices[1], 2, random);
    }

    private TcpStack stack(FrameDevice device, int host, SplittableRandom random) {
      TcpSettings settings =
          TcpSettings.DEFAULTS
              .withReceiveBuffer(4096)
              .withConnectTimeout(600 * SECOND)
              .withUserTimeout(600 * SECOND);
      Ipv4Address address = Ipv4Address.parse("10.99.0." + host);
      return new TcpStack(device, new InterfaceAddress(address, 24), settings, random.split(), now);
    }

    void connect(StreamHandler connecting, StreamHandler listening) {
      second.listen(PORT, (stream, remote, port) -> listening);
      first.connect(Ipv4Address.parse("10.99.0.2"), PORT, connecting);
    }

    void turn() {
      for (TcpStack stack : List.of(first, second)) {
        stack.receive(now);
        stack.advance(now);
        stack.transmit(now);
      }
      now += SECOND / 1000;
    }

    @Override
    public void close() {
      first.close();
      second.close();
      devices[0].close();
      devices[1].close();
      assertThat(firstPool.available()).isEqualTo(firstPool.capacity());
      assertThat(secondPool.available()).isEqualTo(secondPool.capacity());
    }
  }

  @Test
  @Tag("MPA-7.1.5-03")
  @Tag("MPA-7.1.5-01")
  @Tag("D03-8.1.2-01")
  @Tag("D03-5.1.2-05")
  @Tag("ANA-8-04")
  void noOctetShouldBeLostNorDoubledWhereTheStreamChanges() {
    long retransmitted = 0;
    long outOfOrder = 0;
    for (long seed = 1; seed <= LIVES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int mtu = random.nextBoolean() ? 1500 : 200 + random.nextInt(1000);
      Random octets = new Random(seed);
      byte[][] said = new byte[4][];
      for (int i = 0; i < said.length; i++) {
        said[i] = new byte[1 + octets.nextInt(i < 2 ? 20_000 : 128)];
        octets.nextBytes(said[i]);
      }
      Program one = new Program(true, said[0], said[1], said[2]);
      Program two = new Program(false, said[1], said[0], said[3]);
      try (Hosts hosts = new Hosts(random, 0.06, mtu)) {
        hosts.connect(new StreamingMode(one), new StreamingMode(two));
        while (one.received.isEmpty() || two.received.isEmpty()) {
          hosts.turn();
          assertThat(one.error).as("seed %d", seed).isNull();
          assertThat(two.error).as("seed %d", seed).isNull();
          assertThat(hosts.now).as("seed %d", seed).isLessThan(3600 * SECOND);
        }
        retransmitted += hosts.first.counters().retransmitted;
        outOfOrder += hosts.first.counters().outOfOrder + hosts.second.counters().outOfOrder;
      }
      assertThat(one.heard.toByteArray()).as("seed %d", seed).isEqualTo(said[1]);
      assertThat(two.heard.toByteArray()).as("seed %d", seed).isEqualTo(said[0]);
      assertThat(one.received).as("seed %d", seed).containsExactly(said[3]);
      assertThat(two.received).as("seed %d", seed).containsExactly(said[2]);
    }
    assertThat(retransmitted).isGreaterThan(LIVES);
    assertThat(outOfOrder).isGreaterThan(LIVES);
  }

  @Test
  @Tag("ANA-8.1-04")
  void twoEndsWithoutMpaShouldJustTalk() {
    byte[] words = {1, 2, 3};
    byte[] answer = {4, 5};
    // Neither hears the end of what it expects, so neither starts MPA.
    Program one = new Program(true, words, new byte[100], new byte[1]);
    Program two = new Program(false, answer, new byte[100], new byte[1]);
    try (Hosts hosts = new Hosts(new SplittableRandom(1), 0, 1500)) {
      hosts.connect(new StreamingMode(one), new StreamingMode(two));
      for (int i = 0; i < 100; i++) {
        hosts.turn();
      }
    }
    assertThat(two.heard.toByteArray()).isEqualTo(words);
    assertThat(two.mpa).isNull();
  }

  @Test
  @Tag("MPA-7.1.4-02")
  @Tag("MPA-7.1-03")
  void theRequestShouldRideOnTheHandshakesLastAcknowledgment() {
    RecordingHandler asked = new RecordingHandler();
    RecordingHandler asking = new RecordingHandler();
    MpaConnection responder = MpaConnection.responder(MpaSettings.DEFAULTS, asked);
    byte[] data = {9, 9};
    MpaConnection initiator = MpaConnection.initiator(MpaSettings.DEFAULTS, data, asking);
    try (Hosts hosts = new Hosts(new SplittableRandom(1), 0, 1500)) {
      hosts.connect(initiator, responder);
      for (int i = 0; i < 100; i++) {
        hosts.turn();
      }
      assertThat(asked.events).containsExactly("request 0909");
      byte[] request = PeerOctets.request(MpaEndpoint.C, data);
      List<byte[]> segments = hosts.sent.stream().filter(DelayedStartTest::isTcp).toList();
      assertThat(segments.get(0)).as("the SYN").hasSizeLessThan(100);
      byte[] second = segments.get(1);
      assertThat(Arrays.copyOfRange(second, second.length - request.length, second.length))
          .isEqualTo(request);
    }
  }

  /** Whether a frame holds an IPv4 packet of protocol 6. */
  private static boolean isTcp(byte[] frame) {
    return frame[12] == 0x08 && frame[13] == 0x00 && frame[23] == 6;
  }
}
