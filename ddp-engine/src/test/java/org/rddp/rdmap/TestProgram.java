package org.rddp.rdmap;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.tcp.CloseReason;
import org.rddp.wire.Memory;

/**
 * A program at one end of a connection: it writes into the other's region and sends messages, and
 * keeps a model of what the other's memory must hold once a message has been delivered there.
 */
final class TestProgram implements StartupHandler, RdmapHandler {
  private static final int RECEIVES = 8;

  /** Something that this program has posted: a write, or a send, which has no offset. */
  private static final class Posted {
    private final int offset;
    private final byte[] octets;

    private Posted(int offset, byte[] octets) {
      this.offset = offset;
      this.octets = octets;
    }

    private boolean touches(int from, int length) {
      return !send() && from < offset + octets.length && offset < from + length;
    }

    private boolean send() {
      return offset < 0;
    }
  }

  final GuardedMemory region;
  private final GuardedMemory source;
  private final List<GuardedMemory> receives = new ArrayList<>();
  private final Queue<Posted> onTheirWay = new ArrayDeque<>();
  private final byte[] modelOfPeer;
  final int stag;
  private final GuardedMemory sink;
  private final int sinkStag;
  RdmapStream stream;
  MpaStartup startup;
  TestProgram peer;
  boolean established;
  CloseReason closed;
  private boolean closing;

  /** Whether outstanding writes stay apart: the order of those that overlap is not always known. */
  boolean apart;

  int outstanding;
  int delivered;
  private int sourceAt;

  TestProgram(RdmapNetwork.Host host, int regionLength) {
    region = new GuardedMemory(regionLength);
    source = new GuardedMemory(4 * regionLength);
    modelOfPeer = region.octets();
    stag =
        host.engine
            .taggedBuffers()
            .register(
                host.domain,
                null,
                region.address(),
                regionLength,
                region.address(),
                AccessRights.REMOTE_WRITE | AccessRights.REMOTE_READ | AccessRights.REMOTE_ATOMIC);
    sink = new GuardedMemory(regionLength);
    sinkStag =
        host.engine
            .taggedBuffers()
            .register(host.domain, null, sink.address(), regionLength, 0, AccessRights.LOCAL_WRITE);
    for (int i = 0; i < RECEIVES; i++) {
      receives.add(new GuardedMemory(regionLength));
    }
  }

  /** Makes its stream, and the startup that asks for it or is asked. */
  void begin(RdmapNetwork.Host host, RdmapSettings settings, boolean initiator) {
    stream = new RdmapStream(host.engine, host.domain, settings, this);
    startup =
        initiator
            ? MpaStartup.initiator(settings.mpa(), new byte[0], this, stream.ddp())
            : MpaStartup.responder(settings.mpa(), this, stream.ddp());
  }

  /** Reads a part of the peer's region into the same part of our sink. */
  void read(int offset, int length) {
    outstanding++;
    stream.postRead(
        new StreamRequest(3)
            .local(sinkStag, offset, length)
            .remote(peer.stag, peer.region.address() + offset));
  }

  /** Adds one to a number at the start of the peer's region; the old value goes into our sink. */
  boolean count(int place) {
    long result = sink.address() + 8L * place;
    boolean posted =
        stream.postFetchAdd(
            new StreamRequest(5)
                .memory(result, 8)
                .remote(peer.stag, peer.region.address())
                .operands(1, 0, 0, -1));
    outstanding += posted ? 1 : 0;
    return posted;
  }

  /** A number that {@link #count} has brought back. */
  long counted(int place) {
    return Memory.getLongNative(sink.address() + 8L * place);
  }

  /** The octets read are those written, and the octets around them are unchanged. */
  void assertSink() {
    sink.assertHolds(modelOfPeer);
  }

  /** Posts the receives: before the stream is established. */
  void postReceives() {
    for (int i = 0; i < RECEIVES; i++) {
      stream.postReceive(new StreamRequest(i).memory(receives.get(i).address(), region.length()));
    }
  }

  /** Writes random octets somewhere into the peer's region; false if nothing more can be posted. */
  boolean write(Random random, int length) {
    int offset = random.nextInt(region.length() - length + 1);
    if (apart && onTheirWay.stream().anyMatch(posted -> posted.touches(offset, length))) {
      return false;
    }
    long address = fill(random, length);
    Posted posted = new Posted(offset, memory(address, length));
    if (!stream.postWrite(
        new StreamRequest(1)
            .memory(address, length)
            .remote(peer.stag, peer.region.address() + offset))) {
      return false;
    }
    outstanding++;
    onTheirWay.add(posted);
    return true;
  }

  /** Sends random octets; false if nothing more can be posted, or the peer has no receive left. */
  boolean send(Random random, int length) {
    long sends = onTheirWay.stream().filter(Posted::send).count();
    if (sends == RECEIVES) {
      return false;
    }
    long address = fill(random, length);
    Posted posted = new Posted(-1, memory(address, length));
    if (!stream.postSend(new StreamRequest(2).memory(address, length))) {
      return false;
    }
    outstanding++;
    onTheirWay.add(posted);
    return true;
  }

  /** A part of the source that no outstanding request lies in, filled with random octets. */
  private long fill(Random random, int length) {
    if (outstanding == 0 || sourceAt + length > source.length()) {
      sourceAt = 0;
    }
    byte[] octets = new byte[length];
    random.nextBytes(octets);
    source.put(sourceAt, octets);
    long address = source.address() + sourceAt;
    sourceAt += length;
    return address;
  }

  /** Whether a request of this length finds a free part of the source. */
  boolean room(int length) {
    return outstanding == 0 || sourceAt + length <= source.length();
  }

  private static byte[] memory(long address, int length) {
    return Memory.bytes(address, length);
  }

  /** Closes; from here on requests may end as flushed. */
  void close() {
    closing = true;
    stream.close();
  }

  /** Whether everything posted has been handed over and delivered. */
  boolean idle() {
    return outstanding == 0 && onTheirWay.stream().noneMatch(Posted::send);
  }

  /** The peer's region holds exactly the octets written, and the octets around it are unchanged. */
  void assertPeerMemory() {
    applyWrites();
    peer.region.assertHolds(modelOfPeer);
  }

  private void applyWrites() {
    while (!onTheirWay.isEmpty() && !onTheirWay.peek().send()) {
      Posted write = onTheirWay.remove();
      System.arraycopy(write.octets, 0, modelOfPeer, write.offset, write.octets.length);
    }
  }

  /** A message of ours has been delivered to the peer: checks the peer's memory. */
  private void delivered(byte[] message) {
    applyWrites();
    Posted send = onTheirWay.remove();
    if (!Arrays.equals(send.octets, message)) {
      throw new AssertionError("another message than was sent");
    }
    // Writes behind the message may have arrived already, in part.
    boolean[] changing = new boolean[modelOfPeer.length];
    for (Posted later : onTheirWay) {
      if (!later.send()) {
        Arrays.fill(changing, later.offset, later.offset + later.octets.length, true);
      }
    }
    byte[] actual = peer.region.octets();
    for (int i = 0; i < actual.length; i++) {
      if (!changing[i] && actual[i] != modelOfPeer[i]) {
        throw new AssertionError("octet " + i + " of the region is not what was written");
      }
    }
  }

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    postReceives();
    asked.accept(privateData);
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    established = true;
  }

  @Override
  public void onRejected(byte[] privateData) {
    throw new AssertionError("rejected");
  }

  @Override
  public void onCompletion(long id, int kind, int status, long octets) {
    if (status != RdmapCompletionStatus.SUCCESS) {
      if (!closing) {
        throw new AssertionError("kind " + kind + " ended with status " + status);
      }
    } else if (kind == CompletionKind.RECEIVE) {
      delivered++;
      GuardedMemory buffer = receives.get((int) id);
      peer.delivered(memory(buffer.address(), (int) octets));
      stream.postReceive(new StreamRequest(id).memory(buffer.address(), region.length()));
    } else {
      outstanding--;
    }
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    throw new AssertionError(detail);
  }

  @Override
  public void onPeerClosed() {
    if (!closing) {
      throw new AssertionError("the peer closed");
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    closed = reason;
    if (!closing) {
      throw new AssertionError("closed: " + reason);
    }
  }
}
