package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** An established stream, free to send, whose peer is the test. */
final class RdmapFixture {
  static final int SEND_DEPTH = 8;
  static final int IRD = 3;
  static final int ORD = 2;

  final DdpEngine engine = new DdpEngine(new TaggedBuffers(8, new Random(5040)));
  final ProtectionDomain domain = new ProtectionDomain("p");
  final GuardedMemory memory = new GuardedMemory(8192);
  final RecordingRdmap user = new RecordingRdmap();
  final RawUlpduPeer peer = RawUlpduPeer.initiator();
  final RdmapStream stream;
  final InMemoryTcpPair tcp;

  RdmapFixture() {
    this(0);
  }

  /** A stream that keeps so many octets of messages until a receive is posted. */
  RdmapFixture(int heldOctets) {
    this(new RdmapSettings(MpaSettings.DEFAULTS, SEND_DEPTH, 8, IRD, ORD, heldOctets));
  }

  RdmapFixture(RdmapSettings settings) {
    stream = user.responder(engine, domain, settings);
    tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run();
    user.startup.accept(new byte[0]);
    run();
    user.events();
    // An empty Write frees a Responder to send.
    assertThat(receive("c140 00000000 0000000000000000")).isEmpty();
  }

  void run() {
    tcp.run(() -> engine.send(1000));
  }

  /** The peer sends ULPDUs, given in hexadecimal; returns the user's callbacks. */
  List<String> receive(String... ulpdus) {
    for (String ulpdu : ulpdus) {
      peer.send(ulpdu);
    }
    run();
    return user.events();
  }

  /** All of {@link #memory}, from Tagged Offset 0 on. */
  int register(int rights) {
    return register(domain, rights);
  }

  int register(ProtectionDomain owner, int rights) {
    return engine
        .taggedBuffers()
        .register(owner, null, memory.address(), memory.length(), 0, rights);
  }

  /** Registers all of {@link #memory} for {@link #stream} only. */
  int registerForStream(int rights) {
    return registerFor(stream, rights);
  }

  int registerFor(RdmapStream only, int rights) {
    return engine
        .taggedBuffers()
        .register(domain, only.ddp(), memory.address(), memory.length(), 0, rights);
  }

  /** Another stream of the same domain. */
  RdmapStream anotherStream() {
    return new RecordingRdmap().responder(engine, domain, RdmapSettings.DEFAULTS);
  }

  int readable() {
    return register(AccessRights.REMOTE_READ);
  }

  /** The octets of a Read Request with number {@code msn}. */
  static String readRequest(
      int msn, int sinkStag, long sinkTo, int size, int sourceStag, long sourceTo) {
    return "4141 00000000 00000001 %08x 00000000".formatted(msn)
        + "%08x %016x %08x %08x %016x".formatted(sinkStag, sinkTo, size, sourceStag, sourceTo);
  }

  /** What the peer has received, in hexadecimal, since the last call. */
  List<String> sent() {
    List<String> sent = peer.receivedHex();
    peer.received().clear();
    return sent;
  }
}
