package org.rddp.daemon.control;

import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.SharedMemory;

/** Carries out a program's requests for memory. Control thread only. */
final class ProgramMemoryRequests {
  private final ProgramSession program;
  private final ProgramMemory memory;
  private final AdoptedFiles files;
  private final MappingThreads threads;

  ProgramMemoryRequests(
      ProgramSession program, ProgramMemory memory, AdoptedFiles files, MappingThreads threads) {
    this.program = program;
    this.memory = memory;
    this.files = files;
    this.threads = threads;
  }

  void allocate(ProgramMessage.AllocateMemory allocate) throws RequestRefusedException {
    ProgramMemory.Piece piece = memory.allocate(allocate.octets());
    program.send(
        new DaemonMessage.MemoryAllocated(
            allocate.request(),
            piece.memory(),
            piece.offset(),
            piece.octets(),
            piece.descriptor()));
  }

  /** Maps memory of the program on the link's thread, which the program may block. */
  void adopt(ProgramMessage.AdoptMemory adopt) {
    int request = adopt.request();
    program.onThread(
        program.link()::execute,
        () -> {
          try {
            SharedMemory mapped = files.map(adopt.descriptor());
            return () -> adopt(request, mapped);
          } catch (RequestRefusedException e) {
            return () -> program.answer(request, e);
          }
        });
  }

  private void adopt(int request, SharedMemory mapped) {
    RequestRefusedException refusal = null;
    if (!program.hasEnded()) {
      try {
        program.send(new DaemonMessage.MemoryAdopted(request, memory.adopt(mapped)));
        return;
      } catch (RequestRefusedException e) {
        refusal = e;
      }
    }
    threads.unmap(mapped.length(), mapped::close);
    if (refusal != null) {
      program.answer(request, refusal);
    }
  }

  void share(ProgramMessage.ShareMemory share) throws RequestRefusedException {
    memory.share(share.memory(), refusal -> program.answer(share.request(), refusal));
  }

  void free(ProgramMessage.FreeMemory free) throws RequestRefusedException {
    memory.free(free.memory(), free.offset(), () -> program.answer(free.request(), null));
  }
}
