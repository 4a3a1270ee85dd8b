package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.MemoryPiece;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.RegionSettings;
import org.rddp.ipc.linux.SharedMemory;

/** Requests for regions of several pieces; {@link RegionPiecesTest} has what is placed there. */
@Timeout(60)
class RegisteredPiecesTest {
  private static final int PAGE = 4096;
  private static final int OCTETS = 4 << 20;
  private static final RegionSettings SETTINGS = new RegionSettings(Access.LOCAL_WRITE.bit(), 0);

  private final TestDaemon daemon = new TestDaemon();
  private RawProgram program;
  private int memory;

  @BeforeEach
  void adopt() throws IOException {
    program = new RawProgram(daemon.socket());
    program.begin("one");
    try (SharedMemory mine = SharedMemory.create("mine", OCTETS)) {
      DaemonMessage.MemoryAdopted adopted =
          (DaemonMessage.MemoryAdopted)
              program.request(number -> new ProgramMessage.AdoptMemory(number, mine.descriptor()));
      memory = adopted.memory();
      mine.forbidHoles();
      program.request(number -> new ProgramMessage.ShareMemory(number, memory));
    }
  }

  @AfterEach
  void close() {
    program.close();
    daemon.close();
  }

  private MemoryPiece piece(long offset, long octets) {
    return new MemoryPiece(memory, offset, octets);
  }

  private DaemonMessage register(MemoryPiece... pieces) throws IOException {
    return program.request(
        number -> new ProgramMessage.RegisterPieces(number, SETTINGS, List.of(pieces)));
  }

  private void shouldRefuse(Reason reason, MemoryPiece... pieces) throws IOException {
    assertThat(((DaemonMessage.Refused) register(pieces)).reason()).isEqualTo(reason);
  }

  @Test
  void shouldRefusePiecesThatCannotBeSideBySide() throws IOException {
    shouldRefuse(Reason.INVALID);
    shouldRefuse(Reason.INVALID, piece(0, PAGE - 1), piece(PAGE, PAGE));
    shouldRefuse(Reason.INVALID, piece(0, PAGE), piece(1, PAGE));
    shouldRefuse(Reason.INVALID, piece(0, PAGE), piece(OCTETS, PAGE));
    shouldRefuse(Reason.INVALID, piece(0, PAGE), piece(0, 0));
    shouldRefuse(Reason.INVALID, piece(-PAGE, PAGE), piece(0, PAGE));
    shouldRefuse(Reason.INVALID, piece(0, Long.MAX_VALUE - 4095), piece(0, PAGE));
    shouldRefuse(Reason.NOT_FOUND, piece(0, PAGE), new MemoryPiece(memory + 1, 0, PAGE));
    assertThat(register(piece(1, PAGE - 1), piece(OCTETS - PAGE, PAGE - 1)))
        .isInstanceOf(DaemonMessage.Registered.class);
  }

  /** Each of them takes mappings and page tables of the daemon. */
  @Test
  void shouldCountPiecesAsMemories() throws IOException {
    MemoryPiece[] many =
        Collections.nCopies(MemoryPiece.MOST, piece(0, OCTETS)).toArray(MemoryPiece[]::new);
    DaemonMessage.Registered first = (DaemonMessage.Registered) register(many);
    shouldRefuse(Reason.LIMIT, many);
    assertThat(program.refusal(number -> new ProgramMessage.FreeMemory(number, memory, 0)))
        .isEqualTo(Reason.STATE);
    program.request(number -> new ProgramMessage.Deregister(number, first.stag()));
    assertThat(program.request(number -> new ProgramMessage.FreeMemory(number, memory, 0)))
        .isInstanceOf(DaemonMessage.Done.class);
  }

  @Test
  void shouldUnmapPiecesWhenTheSessionEnds() throws IOException {
    register(piece(0, OCTETS), piece(0, OCTETS));
    assertThat(
            program
                .socket()
                .send(
                    new ProgramMessage.RegisterPieces(
                        99, SETTINGS, List.of(piece(0, OCTETS), piece(0, OCTETS)))))
        .isTrue();
    program.close();
    try (Rddp session = daemon.connect("two")) {
      TestDaemon.await(
          () -> {
            try {
              return TestDaemon.counters(session).get("memory_bytes") == 0;
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          },
          "memory is back");
    }
  }
}
