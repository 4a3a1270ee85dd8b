package org.rddp.daemon.control;

import java.util.List;
import java.util.function.IntConsumer;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.MemoryPiece;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.RegionSettings;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;

/** Carries out a program's requests to register memory. Control thread only. */
final class ProgramRegions {
  private final ProgramSession program;
  private final Quota regions;
  private final ProgramMemory memory;
  private final JoinedPieces joins;

  /**
   * No regions.
   *
   * @param octets quota for page tables of regions that have several pieces
   * @param memories quota for the number of memories, of which each piece takes one
   */
  ProgramRegions(
      ProgramSession program,
      Quota regions,
      ProgramMemory memory,
      Quota octets,
      Quota memories,
      MappingThreads threads) {
    this.program = program;
    this.regions = regions;
    this.memory = memory;
    this.joins = new JoinedPieces(memory, octets, memories, threads);
  }

  void register(Session session, ProgramMessage.Register register) throws RequestRefusedException {
    regions.take(1);
    long address;
    try {
      address = memory.resolve(register.memory(), register.offset(), register.octets());
    } catch (RequestRefusedException e) {
      regions.give(1);
      throw e;
    }
    registerOnEngine(
        session,
        register.request(),
        address,
        register.octets(),
        register.settings(),
        stag -> memory.registered(stag, register.memory(), register.offset(), register.octets()));
  }

  void register(Session session, ProgramMessage.RegisterPieces register)
      throws RequestRefusedException {
    List<MemoryPiece> pieces = register.pieces();
    long octets = JoinedPieces.check(pieces);
    regions.take(1);
    try {
      joins.join(
          pieces,
          (joined, refusal) -> {
            if (refusal != null) {
              regions.give(1);
              program.answer(register.request(), refusal);
            } else {
              registerOnEngine(
                  session,
                  register.request(),
                  joined.mapping().address(),
                  octets,
                  register.settings(),
                  stag -> joins.registered(stag, joined));
            }
          });
    } catch (RequestRefusedException e) {
      regions.give(1);
      throw e;
    }
  }

  /**
   * Gives a range its STag.
   *
   * @param done called on the control thread with the STag, or with 0 if it was refused
   */
  private void registerOnEngine(
      Session session,
      int request,
      long address,
      long octets,
      RegionSettings settings,
      IntConsumer done) {
    program.onEngine(
        request,
        () -> {
          int stag = 0;
          try {
            stag = session.register(address, octets, settings);
            return new DaemonMessage.Registered(request, stag, settings.baseTo());
          } finally {
            int given = stag;
            program.onControl(() -> {
              done.accept(given);
              if (given == 0) {
                regions.give(1);
              }
            });
          }
        });
  }

  void deregister(Session session, ProgramMessage.Deregister deregister) {
    program.onEngine(
        deregister.request(),
        () -> {
          session.deregister(deregister.stag());
          program.onControl(() -> {
            memory.deregistered(deregister.stag());
            joins.deregistered(deregister.stag());
            regions.give(1);
          });
          return new DaemonMessage.Done(deregister.request());
        });
  }

  /** The mappings of regions that have several pieces. */
  List<Memories.Range> ranges() {
    return joins.ranges();
  }

  /** Transfers them, behind the memories; when read, there are none. */
  void transfer(Snapshot snapshot) {
    joins.transfer(snapshot);
  }

  /**
   * Unmaps pieces that are side by side. Call it after the engine has ended the session, and before
   * the memory is unmapped.
   */
  void close(Runnable done) {
    joins.close(done);
  }
}
