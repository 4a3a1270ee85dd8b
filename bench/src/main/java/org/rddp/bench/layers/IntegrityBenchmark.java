package org.rddp.bench.layers;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rddp.crc.Crc32c;
import org.rddp.crc.IntrinsicCrc32c;
import org.rddp.crc.ScalarCrc32c;
import org.rddp.wire.Checksum;
import org.rddp.wire.Memory;

/** CPU time of TCP's checksum, of MPA's CRC32c beside the JDK's, and of both with a copy. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
public class IntegrityBenchmark extends LayerBenchmark {
  /** Octets: a short message, FPDUs of MTUs of 1500 and 9000 octets, and long frames. */
  @Param({"64", "1460", "8960", "16384", "65536"})
  private int length;

  private final CRC32C jdk = new CRC32C();
  private final Crc32c intrinsic = new IntrinsicCrc32c();
  private final Crc32c scalar = new ScalarCrc32c();
  private Crc32c chosen;
  private ByteBuffer view;
  private long address;
  private long copy;

  /** Fills the octets at random, and finds what is quickest on this machine, as the daemon does. */
  @Setup
  public void fill() {
    address = Memory.allocate(length);
    copy = Memory.allocate(length);
    view = MemorySegment.ofAddress(address).reinterpret(length).asByteBuffer();
    SplittableRandom random = new SplittableRandom(length);
    for (int i = 0; i < length; i++) {
      Memory.putByte(address + i, random.nextInt());
    }
    Crc32c.trial(System::nanoTime, Thread::yield).run();
    chosen = Crc32c.create();
  }

  /** The Internet checksum, of RFC 1071. */
  @Benchmark
  public long checksum() {
    return Checksum.sum(address, length);
  }

  /** CRC32c as rddp computes it. */
  @Benchmark
  public int crc32c() {
    return chosen.update(0, address, length);
  }

  /** CRC32c by the JDK's class. */
  @Benchmark
  public long jdkCrc32c() {
    jdk.reset();
    jdk.update(view.position(0));
    return jdk.getValue();
  }

  /** CRC32c by the JVM's intrinsic. */
  @Benchmark
  public int intrinsicCrc32c() {
    return intrinsic.update(0, address, length);
  }

  /** CRC32c by tables. */
  @Benchmark
  public int scalarCrc32c() {
    return scalar.update(0, address, length);
  }

  /** A copy. */
  @Benchmark
  public int copy() {
    Memory.copy(address, copy, length);
    return Memory.getByte(copy);
  }

  /** A copy and CRC32c as rddp computes them, in one pass where that is quicker. */
  @Benchmark
  public int copyWithCrc32c() {
    return chosen.copy(0, address, copy, length);
  }

  /** CRC32c, and a copy after it. */
  @Benchmark
  public int crc32cThenCopy() {
    int crc = chosen.update(0, address, length);
    Memory.copy(address, copy, length);
    return crc;
  }
}
