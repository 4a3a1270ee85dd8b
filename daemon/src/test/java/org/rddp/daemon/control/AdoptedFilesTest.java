package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.FileId;
import org.rddp.ipc.linux.SharedMemory;

/** Which programs get one mapping: those that bring one file, and no others. */
class AdoptedFilesTest {
  private static final int OCTETS = 4096;

  /** All files have one number, as memfds of huge pages may after 2^32 others. */
  private final AdoptedFiles files = new AdoptedFiles(descriptor -> new FileId(7, 8, false));

  private final List<SharedMemory> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.reversed().forEach(SharedMemory::close);
  }

  private SharedMemory create() throws Exception {
    SharedMemory created = SharedMemory.create("theirs", OCTETS);
    opened.add(created);
    return created;
  }

  private SharedMemory adopt(AdoptedFiles by, Descriptor descriptor) throws Exception {
    SharedMemory adopted = by.map(descriptor);
    opened.add(adopted);
    return adopted;
  }

  private static void put(SharedMemory memory, int value) {
    memory.segment().set(ValueLayout.JAVA_INT, 0, value);
  }

  private static int get(SharedMemory memory) {
    return memory.segment().get(ValueLayout.JAVA_INT, 0);
  }

  private static void assertUnsafe(AdoptedFiles by, Descriptor descriptor) {
    assertThatThrownBy(() -> by.map(descriptor))
        .isInstanceOfSatisfying(
            RequestRefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.UNSAFE_MEMORY));
    assertThat(descriptor.isOpen()).isFalse();
  }

  @Test
  void shouldNotTakeAFileForAnotherWithItsNumber() throws Exception {
    SharedMemory victims = create();
    SharedMemory others = create();
    SharedMemory ofVictim = adopt(files, victims.descriptor().duplicate());
    SharedMemory ofOther = adopt(files, others.descriptor().duplicate());
    put(victims, 1);
    put(others, 2);
    assertThat(get(ofVictim)).isEqualTo(1);
    assertThat(get(ofOther)).isEqualTo(2);
  }

  /** None of them can be mapped anew. */
  @Test
  void shouldShareTheMappingOfEachFileWithThatNumber() throws Exception {
    List<SharedMemory> theirs = List.of(create(), create(), create());
    List<SharedMemory> adopted = new ArrayList<>();
    for (SharedMemory each : theirs) {
      adopted.add(adopt(files, each.descriptor().duplicate()));
      each.forbidHoles();
    }
    for (int i = 0; i < theirs.size(); i++) {
      SharedMemory second = adopt(files, theirs.get(i).descriptor().duplicate());
      assertThat(second.address()).isEqualTo(adopted.get(i).address());
    }
  }

  @Test
  void shouldForgetAFileWithItsLastUser() throws Exception {
    SharedMemory theirs = create();
    SharedMemory other = create();
    adopt(files, other.descriptor().duplicate());
    SharedMemory first = adopt(files, theirs.descriptor().duplicate());
    theirs.forbidHoles();
    SharedMemory second = adopt(files, theirs.descriptor().duplicate());
    first.close();
    put(theirs, 3);
    assertThat(get(second)).isEqualTo(3);
    second.close();
    assertUnsafe(files, theirs.descriptor().duplicate());
  }

  @Test
  void shouldTakeAFileOpenedAgainForAnotherWhereNumbersRepeat() throws Exception {
    SharedMemory theirs = create();
    Path link = Path.of("/proc/self/fd/" + theirs.descriptor().number());
    adopt(files, theirs.descriptor().duplicate());
    theirs.forbidHoles();
    assertUnsafe(files, Descriptor.open(link));
  }

  @Test
  void shouldShareAMemfdOfOrdinaryPagesHoweverItWasOpened() throws Exception {
    AdoptedFiles byNumber = new AdoptedFiles();
    SharedMemory theirs = create();
    Path link = Path.of("/proc/self/fd/" + theirs.descriptor().number());
    SharedMemory first = adopt(byNumber, theirs.descriptor().duplicate());
    theirs.forbidHoles();
    SharedMemory second = adopt(byNumber, Descriptor.open(link));
    assertThat(second.address()).isEqualTo(first.address());
    assertUnsafe(byNumber, Descriptor.open(Path.of("/dev/null")));
  }
}
