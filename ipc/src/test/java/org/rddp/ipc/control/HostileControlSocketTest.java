package org.rddp.ipc.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.OpenDescriptors;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.UnixSocket;

/** Malformed input on the control socket, which must not harm the daemon. */
class HostileControlSocketTest {
  private static final SystemCall SENDMSG = SystemCall.bind("sendmsg", "l:ili");

  @TempDir private Path directory;
  private ControlListener listener;
  private Descriptor program;
  private ControlSocket daemon;

  @BeforeEach
  void connect() throws IOException {
    Path path = directory.resolve("control.sock");
    listener = ControlListener.bind(path, PosixFilePermissions.fromString("rw-------"));
    program = UnixSocket.open();
    UnixSocket.connect(program, path);
    daemon = listener.accept();
  }

  @AfterEach
  void close() throws IOException {
    program.close();
    daemon.close();
    listener.close();
  }

  private void send(byte[] octets, Descriptor passed, int copies) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(Math.max(1, octets.length));
      MemorySegment.copy(octets, 0, data, ValueLayout.JAVA_BYTE, 0, octets.length);
      MemorySegment iovec = arena.allocate(16, 8);
      iovec.set(ValueLayout.JAVA_LONG, 0, data.address());
      iovec.set(ValueLayout.JAVA_LONG, 8, octets.length);
      MemorySegment control = arena.allocate(16 + 4L * copies + 8, 8);
      control.set(ValueLayout.JAVA_LONG, 0, 16 + 4L * copies);
      control.set(ValueLayout.JAVA_INT, 8, 1);
      control.set(ValueLayout.JAVA_INT, 12, 1);
      for (int i = 0; i < copies; i++) {
        control.set(ValueLayout.JAVA_INT, 16 + 4L * i, passed.number());
      }
      MemorySegment message = arena.allocate(56, 8);
      message.set(ValueLayout.JAVA_LONG, 16, iovec.address());
      message.set(ValueLayout.JAVA_LONG, 24, 1);
      message.set(ValueLayout.JAVA_LONG, 32, copies == 0 ? 0 : control.address());
      message.set(ValueLayout.JAVA_LONG, 40, copies == 0 ? 0 : 16 + 4L * copies);
      SENDMSG.call(program.number(), message.address(), 0);
    }
  }

  private static byte[] message(int length, int type, int reserved, int request, byte... fields) {
    return ByteBuffer.allocate(12 + fields.length)
        .putInt(length)
        .putShort((short) type)
        .putShort((short) reserved)
        .putInt(request)
        .put(fields)
        .array();
  }

  private void refuses(byte[] octets) throws IOException {
    send(octets, null, 0);
    assertThatThrownBy(() -> daemon.receiveFromProgram())
        .isInstanceOf(ControlProtocolException.class);
  }

  @Test
  void shouldRejectMalformedMessages() throws IOException {
    refuses(new byte[1]);
    refuses(new byte[11]);
    refuses(message(13, 13, 0, 1));
    refuses(message(12, 0, 0, 1));
    refuses(message(12, 13, 1, 1));
    refuses(message(13, 13, 0, 1, (byte) 0));
    refuses(message(12, 33, 0, 1));
    refuses(message(14, 12, 0, 1, (byte) 0, (byte) 0));
    refuses(message(17, 12, 0, 1, (byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) 2));
    refuses(message(34, 9, 0, 1, ByteBuffer.allocate(22).putShort(20, (short) 513).array()));
    refuses(message(34, 9, 0, 1, ByteBuffer.allocate(22).putShort(20, (short) 512).array()));
    refuses(message(20, 1, 0, 1, new byte[] {0, 0, 0, 1, 0, 1, (byte) 0xff, 0}));
    refuses(Arrays.copyOf(message(5000, 13, 0, 1), 5000));
  }

  @Test
  void shouldRejectStartupOptionsOutOfRange() throws IOException {
    int[][] wrong = {
      {-2, 0, 0, 0},
      {0, 16383, 0, 0},
      {0, 0, 3, 0},
      {0, 0, 0, 3},
      {0, 0, 1, 2},
      {0, 0, 0, 0, -1},
      {0, 0, 0, 0, 0, 0, 8},
      {0, 0, 0, 0, 0, 0, 64 << 8 | 4},
      {0, 0, 0, 0, 0, 0, 1 << 8},
      {0, 0, 0, 0, 0, 0, 1 << 14},
      {0, 0, 0, 0, 0, 0, 4 << 16},
      {0, 0, 0, 0, 0, 0, 0, 1}
    };
    for (int[] startup : wrong) {
      ByteBuffer fields = ByteBuffer.allocate(76).position(44);
      for (int number : startup) {
        fields.putInt(number);
      }
      refuses(message(88, 7, 0, 1, fields.array()));
    }
    send(message(88, 7, 0, 1, new byte[76]), null, 0);
    assertThat(daemon.receiveFromProgram()).isInstanceOf(ProgramMessage.Listen.class);
  }

  @Test
  void shouldRejectSizesAndPiecesOutOfRange() throws IOException {
    ByteBuffer hello = ByteBuffer.allocate(32).putInt(ControlMessage.VERSION).putInt(0).putInt(-1);
    refuses(message(44, 1, 0, 1, hello.array()));
    ByteBuffer pieces = ByteBuffer.allocate(22 + 201 * 20).putShort(20, (short) 201);
    refuses(message(12 + pieces.capacity(), 23, 0, 1, pieces.array()));
  }

  @Test
  void shouldRejectARequestWithoutANumber() throws IOException {
    refuses(message(12, 13, 0, 0));
  }

  @Test
  void shouldSurviveRandomOctets() throws IOException {
    int understood = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] fields = new byte[random.nextInt(1, 40)];
      random.nextBytes(fields);
      if (random.nextBoolean()) {
        Arrays.fill(fields, 0, Math.min(6, fields.length), (byte) 0);
      }
      byte[] octets = message(12 + fields.length, random.nextInt(25), 0, 1, fields);
      if (random.nextInt(4) == 0) {
        octets[random.nextInt(octets.length)] ^= (byte) (1 << random.nextInt(8));
      }
      send(octets, null, 0);
      try {
        assertThat(daemon.receiveFromProgram()).isNotNull();
        understood++;
      } catch (ControlProtocolException e) {
        assertThat(e).hasMessageStartingWith("control protocol: ");
      }
    }
    assertThat(understood).isPositive();
    assertThat(daemon.receiveFromProgram()).isNull();
  }

  @Test
  void shouldCloseUnexpectedDescriptors() throws IOException {
    try (SharedMemory passed = SharedMemory.create("unwanted", 4096)) {
      byte[] harmless = message(12, 13, 0, 1);
      for (int copies : new int[] {1, 2, 3, 4, 100, 253}) {
        for (int i = 0; i < 5; i++) {
          send(harmless, passed.descriptor(), copies);
          assertThatThrownBy(() -> daemon.receiveFromProgram())
              .isInstanceOf(ControlProtocolException.class);
        }
      }
      send(message(12, 3, 0, 1), passed.descriptor(), 2);
      assertThatThrownBy(() -> daemon.receiveFromProgram())
          .isInstanceOf(ControlProtocolException.class);
      send(message(12, 3, 0, 1), passed.descriptor(), 0);
      assertThatThrownBy(() -> daemon.receiveFromProgram())
          .isInstanceOf(ControlProtocolException.class)
          .hasMessageContaining("descriptor is missing");
      send(new byte[0], passed.descriptor(), 2);
      assertThatThrownBy(() -> daemon.receiveFromProgram()).isInstanceOf(IOException.class);
      assertThat(OpenDescriptors.naming("memfd:unwanted")).hasSize(1);
    }
  }

  @Test
  void shouldTreatAnEmptyPacketAsEndOfFile() throws IOException {
    send(new byte[0], null, 0);
    assertThatThrownBy(() -> daemon.receiveFromProgram()).isInstanceOf(EOFException.class);
  }
}
