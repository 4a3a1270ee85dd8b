package org.rddp.bench.crc;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.rddp.bench.harness.TimedLoop;
import org.rddp.crc.Crc32c;
import org.rddp.wire.Memory;

/** The loops compared, over the same octets: CRCs, and CRCs with a copy. */
final class CrcLoops {
  static final String JDK = "jdk";
  static final String RDDP = "rddp";
  static final String ISA_L = "isal";
  static final String MEMCPY = "memcpy";
  static final String FUSED = "fused";

  private final long from;
  private final long to;
  private final ByteBuffer view;
  private final CRC32C jdk = new CRC32C();
  private final Crc32c rddp = Crc32c.create();

  CrcLoops(int longest) {
    from = Memory.allocate(longest);
    to = Memory.allocate(longest);
    view = MemorySegment.ofAddress(from).reinterpret(longest).asByteBuffer();
    SplittableRandom random = new SplittableRandom(longest);
    for (int at = 0; at < longest; at++) {
      Memory.putByte(from + at, random.nextInt());
    }
  }

  /** All loops by name; ISA-L only where it is installed. */
  Map<String, TimedLoop> all() {
    Map<String, TimedLoop> all = new LinkedHashMap<>();
    all.put(JDK, this::jdk);
    all.put(RDDP, this::rddp);
    isal().ifPresent(isal -> all.put(ISA_L, isal));
    all.put(MEMCPY, this::copy);
    all.put(FUSED, this::fused);
    all.put("crc, then copy", this::crcThenCopy);
    all.put("copy, then crc", this::copyThenCrc);
    all.put("jdk, then copy", this::jdkThenCopy);
    return all;
  }

  private Optional<TimedLoop> isal() {
    return IsaL.find().map(isal -> (length, times) -> isal.run(from, length, times));
  }

  private int jdkOnce(int length) {
    jdk.reset();
    jdk.update(view.limit(length).position(0));
    return (int) jdk.getValue();
  }

  private int jdk(int length, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += jdkOnce(length);
    }
    return sum;
  }

  private int rddp(int length, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += rddp.update(0, from, length);
    }
    return sum;
  }

  private int copy(int length, int times) {
    for (int i = 0; i < times; i++) {
      Memory.copy(from, to, length);
    }
    return Memory.getByte(to);
  }

  private int fused(int length, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += rddp.copy(0, from, to, length);
    }
    return sum;
  }

  private int crcThenCopy(int length, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += rddp.update(0, from, length);
      Memory.copy(from, to, length);
    }
    return sum;
  }

  private int copyThenCrc(int length, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      Memory.copy(from, to, length);
      sum += rddp.update(0, to, length);
    }
    return sum;
  }

  private int jdkThenCopy(int length, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) {
      sum += jdkOnce(length);
      Memory.copy(from, to, length);
    }
    return sum;
  }
}
