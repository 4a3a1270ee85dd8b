package org.rddp.daemon.replacement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/** A daemon whose state is a number and descriptors, and which has a port while it runs. */
class Counting implements Departing, Arriving {
  private final AtomicInteger port;

  /** The calls, in their order. */
  final List<String> calls = new ArrayList<>();

  final List<Descriptor> descriptors = new ArrayList<>();
  long number;
  boolean runs;

  /**
   * Creates one that does not run.
   *
   * @param port how many have the port
   */
  Counting(AtomicInteger port) {
    this.port = port;
  }

  /** Takes note of a call, and may fail. */
  void onCall(String name) throws ReplacementException {
    calls.add(name);
  }

  private void call(String name) {
    try {
      onCall(name);
    } catch (ReplacementException e) {
      throw new AssertionError(e);
    }
  }

  Counting run() {
    if (runs || port.incrementAndGet() != 1) {
      throw new AssertionError("two have the port");
    }
    runs = true;
    return this;
  }

  private void halt() {
    runs = false;
    port.decrementAndGet();
  }

  private void transfer(Snapshot snapshot) {
    snapshot.begin(Counting.class);
    number = snapshot.number("number", number);
    snapshot.end();
  }

  @Override
  public void admit(int successor, String interfaces) throws ReplacementException {
    assertThat(interfaces).isEqualTo("one");
    onCall("admit");
  }

  @Override
  public void rehearse() {
    call("rehearse");
  }

  @Override
  public List<Descriptor> memories(int most) throws ReplacementException {
    onCall("memories");
    return List.of();
  }

  @Override
  public String interfaces() {
    return "one";
  }

  @Override
  public void map(List<Descriptor> memories) {
    call("map");
  }

  @Override
  public String stop() throws ReplacementException {
    onCall("stop");
    halt();
    return "devices";
  }

  @Override
  public List<Descriptor> write(SnapshotWriter snapshot) throws ReplacementException {
    onCall("write");
    transfer(snapshot);
    return descriptors;
  }

  @Override
  public void resume() {
    call("resume");
    run();
  }

  @Override
  public void leave() {
    call("leave");
    descriptors.forEach(Descriptor::close);
  }

  @Override
  public void prepare() throws ReplacementException {
    onCall("prepare");
  }

  @Override
  public void take(String devices) throws ReplacementException {
    assertThat(devices).isEqualTo("devices");
    onCall("take");
  }

  @Override
  public void release() {
    call("release");
  }

  @Override
  public void adopt(SnapshotReader snapshot, List<Descriptor> received)
      throws ReplacementException {
    descriptors.addAll(received);
    transfer(snapshot);
    onCall("adopt");
  }

  @Override
  public void begin() {
    call("begin");
    run();
  }

  @Override
  public void settle() {
    call("settle");
  }

  @Override
  public void discard() {
    call("discard");
    descriptors.forEach(Descriptor::close);
  }

  /** Gives it descriptors to hand over. */
  Counting with(int count, Descriptor what) throws IOException {
    for (int i = 0; i < count; i++) {
      descriptors.add(what.duplicate());
    }
    return this;
  }
}
